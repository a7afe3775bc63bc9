/** Smaller bodies are left to the garbage collector: taking and giving back would cost more than it saves. */
const MIN_BYTES = 64 * 1024;

/** Spare memory that is kept when nothing else is said. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** Spare memory may be this many times as large as what it is taken for. */
const MAX_WASTE = 2;

/**
 * Buffer pool: memory of request bodies that were delivered, for the bodies that follow. The requests of a training loop are alike in size,
 * step after step, and memory that the process has never touched costs more time than writing a request into it.
 *
 * Only memory that was taken from here can be given back, and only once; the caller must be sure that nobody reads it any more.
 *
 * @example
 * const memory = new BodyMemory();
 * const { body } = encodeForwardBackwardRequest(request, { wire: "protobuf", generation: "0.38", memory });
 * await send(body);
 * memory.giveBack(body);
 */
export class BodyMemory {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #spare: ArrayBuffer[] = [];
  #spareBytes = 0;
  readonly #taken = new WeakSet<ArrayBuffer>();

  /** @param maxBytes - spare memory that is kept; 64 MiB by default */
  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Takes memory of `byteLength` bytes. What it holds is not cleared. */
  take(byteLength: number): Uint8Array<ArrayBuffer> {
    if (byteLength < MIN_BYTES) return new Uint8Array(byteLength);
    const buffer = this.#takeSpare(byteLength) ?? new ArrayBuffer(byteLength);
    this.#taken.add(buffer);
    return new Uint8Array(buffer, 0, byteLength);
  }

  /** Takes the memory behind a body back. Other memory, and memory that was given back already, is left alone. */
  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer) || !this.#taken.delete(buffer)) return;
    if (buffer.byteLength > this.#maxBytes) return;
    this.#spare.push(buffer);
    this.#spareBytes += buffer.byteLength;
    while (this.#spareBytes > this.#maxBytes) this.#spareBytes -= this.#spare.shift()?.byteLength ?? 0;
  }

  /** Takes the newest that fits: its bytes are the likeliest to be in the processor's cache. */
  #takeSpare(byteLength: number): ArrayBuffer | undefined {
    const index = this.#spare.findLastIndex(
      (buffer) => buffer.byteLength >= byteLength && buffer.byteLength <= byteLength * MAX_WASTE,
    );
    if (index === -1) return undefined;
    const [buffer] = this.#spare.splice(index, 1);
    this.#spareBytes -= buffer?.byteLength ?? 0;
    return buffer;
  }
}
