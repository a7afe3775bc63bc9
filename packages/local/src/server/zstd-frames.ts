/** Starts a frame of compressed data, as a little-endian number; sixteen others start a frame to be skipped. RFC 8878. */
const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
/** Longest header that is looked into: the magic number of a skippable frame and its length. */
const MAX_HEADER_BYTES = 8;

const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
/** A block that stands for one byte, many times. */
const REPEATED_BLOCK = 1;

/**
 * Follows the frames of zstd data as it arrives, to tell whether the last one is whole: Node's decoder takes data that was
 * cut short for data that has ended. Data that is no zstd at all is left to the decoder.
 */
export class ZstdFrames {
  #step: (header: Buffer) => number = (header) => this.#frame(header);
  readonly #header = Buffer.alloc(MAX_HEADER_BYTES);
  #filled = 0;
  #wanted = MAGIC_BYTES;
  /** Bytes to be passed over before the next header. */
  #skipped = 0;
  #hasChecksum = false;
  #isBetweenFrames = false;

  /** True when there is a frame, and the last one has ended. */
  get isWhole(): boolean {
    return this.#isBetweenFrames && this.#filled === 0 && this.#skipped === 0;
  }

  add(chunk: Uint8Array): void {
    let position = 0;
    while (position < chunk.length) {
      const passed = Math.min(this.#skipped, chunk.length - position);
      this.#skipped -= passed;
      position += passed;
      const taken = Math.min(this.#wanted - this.#filled, chunk.length - position);
      this.#header.set(chunk.subarray(position, position + taken), this.#filled);
      this.#filled += taken;
      position += taken;
      if (this.#skipped > 0 || this.#filled < this.#wanted) continue;
      this.#filled = 0;
      this.#skipped = this.#step(this.#header);
    }
  }

  /** Reads what a frame begins with. Like every step, it returns how many bytes to pass over before the next header. */
  #frame(header: Buffer): number {
    this.#isBetweenFrames = false;
    const magic = header.readUInt32LE();
    if (magic === FRAME_MAGIC) return this.#next(1, ([descriptor = 0]) => this.#descriptor(descriptor));
    if ((magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC)
      return this.#next(4, (length) => this.#endFrame(length.readUInt32LE()));
    return Number.POSITIVE_INFINITY;
  }

  #descriptor(descriptor: number): number {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] ?? 0;
    const window = isSingleSegment ? 0 : 1;
    this.#next(BLOCK_HEADER_BYTES, (header) => this.#block(header.readUIntLE(0, BLOCK_HEADER_BYTES)));
    return (
      window + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) + (isSingleSegment ? contentSize || 1 : contentSize)
    );
  }

  #block(header: number): number {
    const bytes = ((header >> 1) & 3) === REPEATED_BLOCK ? 1 : header >> 3;
    const isLast = (header & 1) === 1;
    return isLast ? this.#endFrame(bytes + (this.#hasChecksum ? CHECKSUM_BYTES : 0)) : bytes;
  }

  /** Expects another frame, or the end, after `remaining` bytes. */
  #endFrame(remaining: number): number {
    this.#isBetweenFrames = true;
    this.#next(MAGIC_BYTES, (header) => this.#frame(header));
    return remaining;
  }

  #next(bytes: number, step: (header: Buffer) => number): number {
    this.#wanted = bytes;
    this.#step = step;
    return 0;
  }
}
