import { closeSync, readSync } from "node:fs";
import { TinkexError, ValidationError } from "@tinkex/base";
import { type FileIdentity, identityOf } from "../files/file-identity.js";
import { type OpenedFile, openRegularFile } from "../files/open-regular-file.js";
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

/** Bytes read at a time, a multiple of every element's size. */
const PIECE_BYTES = 4 * 2 ** 20;

/** Ways to make float32 of a tensor's bytes, by dtype. */
const WIDENINGS: ReadonlyMap<string, (bytes: Uint8Array) => Float32Array> = new Map([
  ["F32", (bytes) => new Float32Array(bytes.buffer, 0, bytes.length / 4)],
  ["F16", (bytes) => widenFloat16(new Uint16Array(bytes.buffer, 0, bytes.length / 2))],
  ["BF16", (bytes) => widenBfloat16(new Uint16Array(bytes.buffer, 0, bytes.length / 2))],
]);

/**
 * An open safetensors file. Only its header is read at first; `read` fetches one tensor. Reads block: they happen while
 * a model or an adapter is loaded, in the engine's own thread.
 */
export class SafetensorsFile {
  readonly path: string;
  /** The file as it was when it was opened. */
  readonly identity: FileIdentity;
  readonly #descriptor: number;
  readonly #entries: ReadonlyMap<string, SafetensorsEntry>;

  private constructor(
    path: string,
    { descriptor, identity }: OpenedFile,
    entries: ReadonlyMap<string, SafetensorsEntry>,
  ) {
    this.path = path;
    this.identity = identity;
    this.#descriptor = descriptor;
    this.#entries = entries;
  }

  /** @throws ValidationError when the file is missing or its header is unsound */
  static open(path: string): SafetensorsFile {
    const opened = openRegularFile(path);
    const { descriptor, size } = opened;
    try {
      const length = readHeaderLength(
        readRange(descriptor, 0, Math.min(headerLengthBytes, size), path),
        size,
        path,
      );
      const header = readRange(descriptor, headerLengthBytes, length, path);
      return new SafetensorsFile(path, opened, parseHeader(header, size, path));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Names of the tensors, in the order of the header. */
  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  shapeOf(name: string): readonly number[] | undefined {
    return this.#entries.get(name)?.shape;
  }

  /** @throws ValidationError when the file has no such tensor, or one of a dtype that {@link read} does not widen */
  requireReadable(name: string): void {
    this.#widening(this.#find(name));
  }

  /**
   * Reads a tensor, widened to float32 from F16 or BF16.
   *
   * @throws ValidationError when the file has no such tensor, or one of another dtype; TinkexError `server_error` when it
   * was written to after it was opened
   */
  read(name: string): FloatTensor {
    const entry = this.#find(name);
    const bytes = this.#bytes(entry.offset, entry.byteLength);
    return { data: this.#widening(entry)(bytes), shape: entry.shape };
  }

  /** Reads a tensor as {@link read} does, in pieces of a few megabytes. */
  *pieces(name: string): Generator<Float32Array> {
    const entry = this.#find(name);
    const widen = this.#widening(entry);
    for (let start = 0; start < entry.byteLength; start += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, entry.byteLength - start);
      yield widen(this.#bytes(entry.offset + start, length));
    }
  }

  /** Tells what the open file is by now. */
  currentIdentity(): FileIdentity {
    return identityOf(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Reads bytes that belong to the header. One that was replaced under its name is read on; one that was written to is not. */
  #bytes(offset: number, length: number): Uint8Array {
    const bytes = readRange(this.#descriptor, offset, length, this.path);
    const { size, mtimeNs } = this.currentIdentity();
    if (size === this.identity.size && mtimeNs === this.identity.mtimeNs) return bytes;
    throw new TinkexError(
      `${this.path} was written to while it was in use; start the server again, and replace a model's file by a rename`,
      { code: "server_error" },
    );
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

/** Fresh bytes (offset 0 of their own buffer), so that typed arrays over them are aligned. */
function readRange(descriptor: number, offset: number, length: number, path: string): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const read = readSync(descriptor, bytes, done, length - done, offset + done);
    if (read === 0)
      throw new ValidationError(`${path} was cut short while it was being read; write it again`);
    done += read;
  }
  return bytes;
}
