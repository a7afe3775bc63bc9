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

/**
 * Buffer pool for the tensors of one batch: small arrays lie side by side in buffers of up to 64 KiB. Making a buffer costs more time
 * than filling it with 512 numbers, so that a batch of lists is cast in about half the time.
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

  /** Allocates an array of `length` zeros. */
  int32(length: number): Int32Array<ArrayBuffer> {
    if (!(Number.isSafeInteger(length) && length >= 0)) throw lengthError(length);
    const byteLength = length * ELEMENT_BYTES;
    if (byteLength > MAX_SHARED_BYTES) return new Int32Array(length);
    const start = this.#take(byteLength);
    return new Int32Array(this.#buffer, start, length);
  }

  /** Allocates an array of `length` zeros. */
  float32(length: number): Float32Array<ArrayBuffer> {
    if (!(Number.isSafeInteger(length) && length >= 0)) throw lengthError(length);
    const byteLength = length * ELEMENT_BYTES;
    if (byteLength > MAX_SHARED_BYTES) return new Float32Array(length);
    const start = this.#take(byteLength);
    return new Float32Array(this.#buffer, start, length);
  }

  /** Takes `byteLength` bytes of the buffer, and gives their offset. */
  #take(byteLength: number): number {
    if (this.#used + byteLength > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(this.#nextBytes, byteLength));
      this.#nextBytes = Math.min(2 * this.#nextBytes, MAX_BUFFER_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += byteLength;
    return start;
  }
}
