import { ValidationError } from "@tinkex/base";
import { bytesOfElements, putFloat32, putInt32, putInt64, putWidened } from "./put-elements.js";
import { wireType } from "./wire-type.js";

const textEncoder = new TextEncoder();

const doubleView = new DataView(new ArrayBuffer(8));
const doubleBytes = new Uint8Array(doubleView.buffer);

/**
 * Writes a protobuf message **from its end to its start**. The length of an embedded message stands before its content, so
 * that writing forwards needs all sizes beforehand; backwards, the length is known when it is due. Callers write the last
 * field first, the last item of a list first, and the content of a message before {@link message}.
 *
 * @example
 * const mark = writer.length;
 * writer.varintField(2, 5);
 * writer.stringField(1, "name");
 * writer.message(3, mark);
 */
export class ProtoWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  /** Everything from here on is written. */
  #offset: number;

  /** @param memory - written from its end; memory that is not too small saves an allocation */
  constructor(memory: Uint8Array<ArrayBuffer>) {
    this.#bytes = memory;
    this.#view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    this.#offset = memory.length;
  }

  /** Counts the bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#offset;
  }

  /** Puts tag and length before what was written since `mark`, a former {@link length}. */
  message(field: number, mark: number): void {
    this.#varint(this.length - mark, field);
    this.#tag(field, wireType.lengthDelimited);
  }

  /** Writes a varint field; the default 0 is left out. @throws ValidationError unless the value is an integer from 0 to 2⁵³ − 1 */
  varintField(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(value, field);
    this.#tag(field, wireType.varint);
  }

  /** Writes a varint field also when it is 0. @throws ValidationError as {@link varintField} */
  presentVarint(field: number, value: number): void {
    this.#varint(value, field);
    this.#tag(field, wireType.varint);
  }

  /** Writes a string field; the default "" is left out. */
  stringField(field: number, text: string): void {
    if (text !== "") this.presentString(field, text);
  }

  /** Writes a string even when it is empty: a map key, or a member of a oneof. */
  presentString(field: number, text: string): void {
    const mark = this.length;
    if (!this.#ascii(text)) this.#raw(textEncoder.encode(text));
    this.message(field, mark);
  }

  doubleField(field: number, value: number): void {
    doubleView.setFloat64(0, value, true);
    this.#raw(doubleBytes);
    this.#tag(field, wireType.fixed64);
  }

  /** Writes a packed array of such numbers; an empty one is left out. @throws ValidationError as {@link varintField} */
  packedVarints(field: number, values: readonly number[]): void {
    if (values.length === 0) return;
    const mark = this.length;
    for (let index = values.length - 1; index >= 0; index -= 1) {
      this.#varint(values[index] ?? Number.NaN, field);
    }
    this.message(field, mark);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    const mark = this.length;
    this.#raw(bytes);
    this.message(field, mark);
  }

  /** Writes the elements of a typed array, in one block; a field of them ends with {@link message}, as those of arrays do. */
  elements(array: Float32Array | Int32Array | BigInt64Array): void {
    this.#raw(bytesOfElements(array));
  }

  /** Writes numbers as float32. Gives the index of one that does not fit, or -1. */
  float32(values: readonly number[]): number {
    this.#reserve(values.length * 4);
    return putFloat32(this.#bytes, this.#offset, values);
  }

  /** Writes numbers as int32. Gives the index of one that does not fit, or -1. */
  int32(values: readonly number[]): number {
    this.#reserve(values.length * 4);
    return putInt32(this.#bytes, this.#offset, values);
  }

  /** Writes safe integers as int64. Gives the index of one that does not fit, or -1. */
  int64(values: readonly number[]): number {
    this.#reserve(values.length * 8);
    return putInt64(this.#bytes, this.#offset, values);
  }

  /** Writes 32-bit integers as int64. */
  widened(values: Int32Array): void {
    this.#reserve(values.length * 8);
    putWidened(this.#bytes, this.#offset, values);
  }

  /** Writes the `byteLength` bytes once more that were the last to be written when {@link length} was `mark`. */
  repeat(mark: number, byteLength: number): void {
    this.#reserve(byteLength);
    copyWords(this.#view, this.#bytes.length - mark, this.#offset, byteLength);
  }

  /** Gives the bytes that were written, a view on the memory. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#offset);
  }

  #tag(field: number, type: number): void {
    // All field numbers of the schema are below 16, so that a tag takes one byte.
    this.#reserve(1);
    this.#bytes[this.#offset] = (field << 3) | type;
  }

  /** Writes the value of `field`, or a length. The comparison is true of small integers alone, so that nothing else gets by. */
  #varint(value: number, field: number): void {
    const bits = typeof value === "number" ? value & 0x3fff : -1;
    if (bits !== value) {
      this.#longVarint(value, field);
    } else if (bits < 0x80) {
      this.#reserve(1);
      this.#bytes[this.#offset] = bits;
    } else {
      this.#reserve(2);
      this.#bytes[this.#offset] = (bits & 0x7f) | 0x80;
      this.#bytes[this.#offset + 1] = bits >> 7;
    }
  }

  #longVarint(value: number, field: number): void {
    // A varint has no form for anything else: it would become another number, or a body that nobody can read.
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new ValidationError(
        `protobuf field ${field} must be an integer from 0 to 2^53 - 1, got ${String(value)}`,
      );
    }
    this.#reserve(varintSize(value));
    let rest = value;
    let offset = this.#offset;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#bytes[offset] = (rest % 0x80) | 0x80;
      offset += 1;
    }
    this.#bytes[offset] = rest;
  }

  /** Writes text of ASCII characters; false, and nothing written, when it has others. */
  #ascii(text: string): boolean {
    const { length } = text;
    this.#reserve(length);
    const bytes = this.#bytes;
    const start = this.#offset;
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit >= 0x80) {
        this.#offset = start + length;
        return false;
      }
      bytes[start + index] = unit;
    }
    return true;
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#offset);
  }

  /** Moves the offset back by `count` bytes, into a larger allocation when this one is full. */
  #reserve(count: number): void {
    if (count > this.#offset) this.#grow(count);
    this.#offset -= count;
  }

  #grow(count: number): void {
    const written = this.finish();
    const larger = new Uint8Array(2 * this.#bytes.length + count + 64);
    larger.set(written, larger.length - written.length);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
    this.#offset = larger.length - written.length;
  }
}

/** Counts the bytes of a varint of a number from 0 to 2⁵³. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/**
 * Copies a few bytes to where none of them lie. By words: for 30 bytes, calling the engine's own copy takes as long as a loop
 * over bytes, this a third of it. The last word may cover bytes of the one before.
 */
function copyWords(view: DataView, from: number, to: number, byteLength: number): void {
  const last = byteLength - 4;
  for (let at = 0; at < last; at += 4) view.setUint32(to + at, view.getUint32(from + at));
  if (last >= 0) view.setUint32(to + last, view.getUint32(from + last));
  else for (let at = 0; at < byteLength; at += 1) view.setUint8(to + at, view.getUint8(from + at));
}
