import { ValidationError } from "@tinkex/base";
import { widenBfloat16, widenFloat16 } from "./half-precision.js";
import {
  headerLengthBytes,
  parseHeader,
  readHeaderLength,
  type SafetensorsEntry,
  unreadableDtype,
} from "./safetensors-header.js";

/** A float32 tensor in memory, row-major. */
export interface FloatTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Bytes in safetensors format, wherever they lie. */
export interface ByteSource {
  /** Name by which messages call it. */
  readonly path: string;
  readonly size: number;
  /** Gives bytes in a buffer of their own, at its start, so that typed arrays over them are aligned. */
  read(offset: number, length: number): Uint8Array;
}

/** Bytes read at a time, a multiple of every element's size. */
const PIECE_BYTES = 4 * 2 ** 20;

/** Ways to make float32 of a tensor's bytes, by dtype. */
const WIDENINGS: ReadonlyMap<string, (bytes: Uint8Array) => Float32Array> = new Map([
  ["F32", (bytes) => new Float32Array(bytes.buffer, 0, bytes.length / 4)],
  ["F16", (bytes) => widenFloat16(new Uint16Array(bytes.buffer, 0, bytes.length / 2))],
  ["BF16", (bytes) => widenBfloat16(new Uint16Array(bytes.buffer, 0, bytes.length / 2))],
]);

/** Reader of the tensors of safetensors bytes. Only their header is read at first; `read` gets one tensor. */
export class SafetensorsReader {
  readonly path: string;
  readonly #source: ByteSource;
  readonly #entries: ReadonlyMap<string, SafetensorsEntry>;

  /** @throws ValidationError when the header is unsound, and what the source throws */
  constructor(source: ByteSource) {
    const { path, size } = source;
    this.path = path;
    this.#source = source;
    const length = readHeaderLength(source.read(0, Math.min(headerLengthBytes, size)), size, path);
    this.#entries = parseHeader(source.read(headerLengthBytes, length), size, path);
  }

  /** Reader of bytes in memory, which must stay as they are. @throws ValidationError when the header is unsound */
  static ofBytes(bytes: Uint8Array, path: string): SafetensorsReader {
    return new SafetensorsReader({
      path,
      size: bytes.length,
      // A Buffer's own slice is a view of the same memory, which typed arrays over its start would misread.
      read: (offset, length) => Uint8Array.prototype.slice.call(bytes, offset, offset + length),
    });
  }

  /** Names of the tensors, in the order of the header. */
  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  shapeOf(name: string): readonly number[] | undefined {
    return this.#entries.get(name)?.shape;
  }

  /** @throws ValidationError when there is no such tensor, or one of a dtype that {@link read} does not widen */
  requireReadable(name: string): void {
    this.#widening(this.#find(name));
  }

  /**
   * Reads a tensor, widened to float32 from F16 or BF16.
   *
   * @throws ValidationError when there is no such tensor, or one of another dtype; what the source throws
   */
  read(name: string): FloatTensor {
    const entry = this.#find(name);
    const bytes = this.#source.read(entry.offset, entry.byteLength);
    return { data: this.#widening(entry)(bytes), shape: entry.shape };
  }

  /** Reads a tensor as {@link read} does, in pieces of a few megabytes. */
  *pieces(name: string): Generator<Float32Array> {
    const entry = this.#find(name);
    const widen = this.#widening(entry);
    for (let start = 0; start < entry.byteLength; start += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, entry.byteLength - start);
      yield widen(this.#source.read(entry.offset + start, length));
    }
  }

  #find(name: string): SafetensorsEntry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new ValidationError(`${this.path} has no tensor "${name}"`);
    return entry;
  }

  #widening({ name, dtype }: SafetensorsEntry): (bytes: Uint8Array) => Float32Array {
    const widening = WIDENINGS.get(dtype);
    if (widening === undefined) throw unreadableDtype(name, dtype, this.path);
    return widening;
  }
}
