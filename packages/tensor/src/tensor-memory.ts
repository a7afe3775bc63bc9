import { describeValue, ValidationError } from "@tinkex/base";

/** Buffers begin this small and double, so that a few tensors do not hold more memory than they fill. */
const MIN_BUFFER_BYTES = 4 * 1024;
const MAX_BUFFER_BYTES = 64 * 1024;

/** A larger array gets a buffer of its own. */
const MAX_SHARED_BYTES = MAX_BUFFER_BYTES / 4;

const ELEMENT_BYTES = 4;

/** Makes the error of what is no number of elements. */
function lengthError(length: unknown): ValidationError {
  return new ValidationError(
    `TensorMemory: length must be a whole number of 0 or more, got ${describeValue(length)}`,
  );
}

/** Allocator of the arrays that a cast gives. */
export interface ArrayMemory {
  int32(length: number): Int32Array<ArrayBuffer>;
  float32(length: number): Float32Array<ArrayBuffer>;
}

/** Allocates every array in a buffer of its own. */
export const ownBuffers: ArrayMemory = {
  int32: (length) => new Int32Array(length),
  float32: (length) => new Float32Array(length),
};

/** A buffer may be this many times as large as what its arrays took; {@link TensorMemory.clear} lets go of larger ones. */
const MAX_WASTE = 2;

/**
 * Buffer pool for the tensors of one batch: small arrays lie side by side in buffers of up to 64 KiB. Making a buffer costs more time
 * than filling it with 512 numbers, so that a batch of lists is cast in about half the time. For a batch after another, `clear` has the
 * memory used again.
 *
 * The arrays share their buffers: to give one away with `postMessage(…, [array.buffer])` takes its neighbours along, and a buffer
 * stays in memory for as long as one of its arrays does.
 *
 * @example
 * const memory = new TensorMemory();
 * const tensors = lists.map((list) => TensorData.from(list, { dtype: "float32", memory }));
 */
export class TensorMemory implements ArrayMemory {
  #buffer = new ArrayBuffer(0);
  #used = 0;
  #nextBytes = MIN_BUFFER_BYTES;
  /** Bytes of all arrays since the last time that the memory was cleared. */
  #takenBytes = 0;
  /** Bytes that the largest array may take of a buffer made for a batch like the one before. */
  #batchBytes = 0;

  /** Allocates an array of `length` numbers: zeros, in memory that was not used before. */
  int32(length: number): Int32Array<ArrayBuffer> {
    const start = this.#take(length);
    return start < 0 ? new Int32Array(length) : new Int32Array(this.#buffer, start, length);
  }

  /** Allocates an array of `length` numbers: zeros, in memory that was not used before. */
  float32(length: number): Float32Array<ArrayBuffer> {
    const start = this.#take(length);
    return start < 0 ? new Float32Array(length) : new Float32Array(this.#buffer, start, length);
  }

  /**
   * Takes the memory of all arrays back, which nobody may read any more: those that follow are written over them. The next batch gets
   * one buffer as large as this one took, arrays of every size included, and keeps it for those after it.
   *
   * @returns bytes of the buffer that is kept
   */
  clear(): number {
    const { byteLength } = this.#buffer;
    const wantedBytes = Math.max(MIN_BUFFER_BYTES, this.#takenBytes);
    if (wantedBytes > byteLength || byteLength > MAX_WASTE * wantedBytes) {
      this.#buffer = new ArrayBuffer(0);
      this.#nextBytes = wantedBytes;
      this.#batchBytes = this.#takenBytes;
    }
    this.#used = 0;
    this.#takenBytes = 0;
    return this.#buffer.byteLength;
  }

  /** Takes the bytes of `length` elements, and gives their offset in the buffer; -1 for an array that is too large for it. */
  #take(length: number): number {
    if (!(Number.isSafeInteger(length) && length >= 0)) throw lengthError(length);
    const byteLength = length * ELEMENT_BYTES;
    this.#takenBytes += byteLength;
    if (this.#used + byteLength > this.#buffer.byteLength) {
      if (byteLength > Math.max(MAX_SHARED_BYTES, this.#batchBytes)) return -1;
      this.#buffer = new ArrayBuffer(Math.max(this.#nextBytes, byteLength));
      this.#nextBytes = Math.min(2 * this.#nextBytes, MAX_BUFFER_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += byteLength;
    return start;
  }
}
