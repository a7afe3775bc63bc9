import { bytesOfElements } from "./element-bytes.js";
import { packedLength } from "./field-size.js";
import { utf8Length, writeUtf8 } from "./utf8.js";
import { wireType } from "./wire-type.js";

/** Writes protobuf fields into one allocation whose size was computed before. */
export class ProtoWriter {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #offset = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Tag and length of a field whose `length` bytes are written next. */
  delimited(field: number, length: number): void {
    this.#tag(field, wireType.lengthDelimited);
    this.#varint(length);
  }

  /** A varint field; the default 0 is left out. */
  varintField(field: number, value: number): void {
    if (value !== 0) this.presentVarint(field, value);
  }

  /** A varint field that is written also when it is 0. */
  presentVarint(field: number, value: number): void {
    this.#tag(field, wireType.varint);
    this.#varint(value);
  }

  /** A string field; the default "" is left out. */
  stringField(field: number, text: string): void {
    if (text !== "") this.presentString(field, text);
  }

  presentString(field: number, text: string): void {
    this.delimited(field, utf8Length(text));
    this.#offset += writeUtf8(text, this.bytes, this.#offset);
  }

  doubleField(field: number, value: number): void {
    this.#tag(field, wireType.fixed64);
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
  }

  packedVarints(field: number, values: readonly number[]): void {
    if (values.length === 0) return;
    this.delimited(field, packedLength(values));
    for (const value of values) this.#varint(value);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.delimited(field, bytes.length);
    this.#raw(bytes);
  }

  /** Elements of a typed array, in one block. */
  elements(array: Float32Array | Int32Array | BigInt64Array): void {
    this.#raw(bytesOfElements(array));
  }

  /** Numbers as float32. Gives the index of the first one that does not fit, or -1. */
  float32List(values: readonly number[]): number {
    const view = this.#view;
    let offset = this.#offset;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 4) {
      const value = values[index] as number;
      view.setFloat32(offset, value, true);
      // NaN and the infinities themselves are float32 values.
      if (bad === -1 && !(Math.abs(value) < FLOAT32_LIMIT) && !isSpecialNumber(value)) bad = index;
    }
    this.#offset = offset;
    return bad;
  }

  /** Numbers as int32. Gives the index of the first one that does not fit, or -1. */
  int32List(values: readonly number[]): number {
    const view = this.#view;
    let offset = this.#offset;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 4) {
      const value = values[index] as number;
      view.setInt32(offset, value, true);
      if ((value | 0) !== value && bad === -1) bad = index;
    }
    this.#offset = offset;
    return bad;
  }

  /** Safe integers as int64, in two halves. Gives the index of the first one that does not fit, or -1. */
  int64List(values: ArrayLike<number>): number {
    const view = this.#view;
    let offset = this.#offset;
    let bad = -1;
    for (let index = 0; index < values.length; index++, offset += 8) {
      const value = values[index] as number;
      const low = value | 0;
      if (low === value) {
        view.setInt32(offset, low, true);
        view.setInt32(offset + 4, low >> 31, true);
        continue;
      }
      if (bad === -1 && !Number.isSafeInteger(value)) bad = index;
      view.setInt32(offset, low, true);
      view.setInt32(offset + 4, Math.floor(value / 0x1_0000_0000), true);
    }
    this.#offset = offset;
    return bad;
  }

  /** What was written; every byte that was asked for must have been. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.#offset !== this.bytes.length) {
      throw new Error(`protobuf size mismatch: computed ${this.bytes.length}, wrote ${this.#offset}`);
    }
    return this.bytes;
  }

  #tag(field: number, type: number): void {
    this.bytes[this.#offset++] = (field << 3) | type;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.#offset++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.#offset++] = rest;
  }

  #raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }
}

/** From here on doubles round to an infinite float32: half a unit above the largest one. */
const FLOAT32_LIMIT = 3.4028235677973366e38;

function isSpecialNumber(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
