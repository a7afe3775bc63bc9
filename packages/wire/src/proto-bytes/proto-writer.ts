import { bytesOfElements } from "./element-bytes.js";
import { wireType } from "./wire-type.js";

const textEncoder = new TextEncoder();

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

  /** @param capacity bytes to allocate; a guess that is not too small saves a second allocation */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
    this.#offset = capacity;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#offset;
  }

  /** Puts tag and length before what was written since `mark`, a former {@link length}. */
  message(field: number, mark: number): void {
    this.#varint(this.length - mark);
    this.#tag(field, wireType.lengthDelimited);
  }

  /** A varint field, from 0 to 2⁵³; the default 0 is left out. */
  varintField(field: number, value: number): void {
    if (value !== 0) this.presentVarint(field, value);
  }

  /** A varint field that is written also when it is 0. */
  presentVarint(field: number, value: number): void {
    this.#varint(value);
    this.#tag(field, wireType.varint);
  }

  /** A string field; the default "" is left out. */
  stringField(field: number, text: string): void {
    if (text !== "") this.presentString(field, text);
  }

  /** A string that is written even when empty: a map key, or a member of a oneof. */
  presentString(field: number, text: string): void {
    const mark = this.length;
    if (!this.#ascii(text)) this.#raw(textEncoder.encode(text));
    this.message(field, mark);
  }

  doubleField(field: number, value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#offset, value, true);
    this.#tag(field, wireType.fixed64);
  }

  /** A packed list of numbers from 0 to 2⁵³; an empty one is left out. */
  packedVarints(field: number, values: readonly number[]): void {
    if (values.length === 0) return;
    const mark = this.length;
    for (let index = values.length - 1; index >= 0; index--) this.#varint(values[index] ?? 0);
    this.message(field, mark);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.#raw(bytes);
    this.#varint(bytes.length);
    this.#tag(field, wireType.lengthDelimited);
  }

  /** The elements of a typed array, in one block. */
  elementsField(field: number, array: Float32Array | Int32Array | BigInt64Array): void {
    this.bytesField(field, bytesOfElements(array));
  }

  /** Numbers as float32. Gives the index of one that does not fit, or -1. */
  float32Field(field: number, values: readonly number[]): number {
    let offset = this.#list(values.length * 4);
    const view = this.#view;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 4) {
      const value = values[index] as number;
      view.setFloat32(offset, value, true);
      // NaN and the infinities themselves are float32 values.
      if (!(Math.abs(value) < FLOAT32_LIMIT) && bad === -1 && !isSpecialNumber(value)) bad = index;
    }
    this.#closeList(field, values.length * 4);
    return bad;
  }

  /** Numbers as int32. Gives the index of one that does not fit, or -1. */
  int32Field(field: number, values: readonly number[]): number {
    let offset = this.#list(values.length * 4);
    const view = this.#view;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 4) {
      const value = values[index] as number;
      view.setInt32(offset, value, true);
      if ((value | 0) !== value && bad === -1) bad = index;
    }
    this.#closeList(field, values.length * 4);
    return bad;
  }

  /** Safe integers as int64, in two halves. Gives the index of one that does not fit, or -1. */
  int64Field(field: number, values: readonly number[]): number {
    let offset = this.#list(values.length * 8);
    const view = this.#view;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 8) {
      const value = values[index] as number;
      const low = value | 0;
      view.setInt32(offset, low, true);
      if (low === value) {
        view.setInt32(offset + 4, low >> 31, true);
        continue;
      }
      if (bad === -1 && !Number.isSafeInteger(value)) bad = index;
      view.setInt32(offset + 4, Math.floor(value / 0x1_0000_0000), true);
    }
    this.#closeList(field, values.length * 8);
    return bad;
  }

  /** 32-bit integers as int64. Apart from lists, so that the engine compiles each loop for one kind of array. */
  widenedField(field: number, values: Int32Array): void {
    let offset = this.#list(values.length * 8);
    const view = this.#view;
    for (let index = 0; index < values.length; index++, offset += 8) {
      const value = values[index] as number;
      view.setInt32(offset, value, true);
      view.setInt32(offset + 4, value >> 31, true);
    }
    this.#closeList(field, values.length * 8);
  }

  /** What was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#offset);
  }

  /** Makes room for a list, which is then written forwards from the offset given. */
  #list(byteLength: number): number {
    this.#reserve(byteLength);
    return this.#offset;
  }

  #closeList(field: number, byteLength: number): void {
    this.#varint(byteLength);
    this.#tag(field, wireType.lengthDelimited);
  }

  #tag(field: number, type: number): void {
    // All field numbers of the schema are below 16, so that a tag takes one byte.
    this.#reserve(1);
    this.#bytes[this.#offset] = (field << 3) | type;
  }

  #varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[this.#offset] = value;
      return;
    }
    this.#reserve(varintSize(value));
    let rest = value;
    let offset = this.#offset;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[offset++] = (rest % 0x80) | 0x80;
    this.#bytes[offset] = rest;
  }

  /** Writes text of ASCII characters; false, and nothing written, when it has others. */
  #ascii(text: string): boolean {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit >= 0x80) {
        this.#offset += text.length;
        return false;
      }
      this.#bytes[this.#offset + index] = unit;
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

/** From here on doubles round to an infinite float32: half a unit above the largest one. */
const FLOAT32_LIMIT = 3.4028235677973366e38;

function isSpecialNumber(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** Bytes of a varint of a number from 0 to 2⁵³. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}
