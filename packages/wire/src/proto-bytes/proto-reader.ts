import { DecodeError } from "../decode-error.js";
import { wireType } from "./wire-type.js";

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** Memory that a message may become, in bytes: so many for each of its own, and these in any case. */
const MAX_BYTES_PER_BYTE = 10;
const FREE_BYTES = 64 * 1024 * 1024;

/** Dimensions a tensor may have; the shape is kept with each tensor of a batch. */
const MAX_DIMENSIONS = 64;

/** The most bytes of a varint: 64 bits, seven at a time. */
const VARINT_BYTES = 10;

/**
 * Walks the fields of one protobuf message. Every length is checked against what is left before it is used, and every fault
 * is a {@link DecodeError} that names message, field and byte.
 *
 * @example
 * while (reader.next()) {
 *   if (reader.field === 1) name = reader.text("name");
 *   else reader.skip();
 * }
 */
export class ProtoReader {
  /** Number of the field that {@link next} came upon. */
  field = 0;
  readonly #bytes: Uint8Array;
  readonly #messageType: string;
  /** The message that this one is embedded in, and the field that holds it: their path is wanted for a fault alone. */
  readonly #parent: ProtoReader | undefined;
  readonly #name: string;
  readonly #end: number;
  /** Shared by the readers of all messages within the outermost. */
  readonly #memory: { leftBytes: number };
  #offset: number;
  #wireType = 0;
  /** Offset at which the current field's tag begins. */
  #fieldStart = 0;

  private constructor(
    bytes: Uint8Array,
    messageType: string,
    [start, end]: readonly [start: number, end: number],
    memory: { leftBytes: number },
    embedded?: { readonly parent: ProtoReader; readonly name: string },
  ) {
    this.#bytes = bytes;
    this.#messageType = messageType;
    this.#offset = start;
    this.#end = end;
    this.#memory = memory;
    this.#parent = embedded?.parent;
    this.#name = embedded?.name ?? "";
  }

  /** Reads a whole body, whose outermost message has this name. */
  static of(body: Uint8Array, messageType: string): ProtoReader {
    // A plain view, since a Buffer's subarray and slice behave differently.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    const memory = { leftBytes: FREE_BYTES + MAX_BYTES_PER_BYTE * bytes.length };
    return new ProtoReader(bytes, messageType, [0, bytes.length], memory);
  }

  /** Goes to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#offset === this.#end) return false;
    this.#fieldStart = this.#offset;
    const tag = this.#varint("");
    this.field = Math.floor(tag / 8);
    this.#wireType = tag % 8;
    if (this.field === 0 || this.field >= 2 ** 29) throw this.fault("", `invalid tag ${tag}`);
    return true;
  }

  /** Passes over a field this reader does not know. */
  skip(): void {
    switch (this.#wireType) {
      case wireType.varint:
        this.#varint("");
        return;
      case wireType.fixed64:
        this.#take(8, "");
        return;
      case wireType.lengthDelimited:
        this.#delimited("");
        return;
      case wireType.fixed32:
        this.#take(4, "");
        return;
      default:
        throw this.fault("", `wire type ${this.#wireType} of field ${this.field} is not known`);
    }
  }

  bytes(name: string): Uint8Array {
    this.#expect(wireType.lengthDelimited, name);
    const [start, end] = this.#delimited(name);
    return this.#bytes.subarray(start, end);
  }

  /** Reads bytes that hold whole elements of `elementBytes` each. */
  elements(name: string, elementBytes: number): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length % elementBytes === 0) return bytes;
    throw this.fault(
      name,
      `${bytes.length} bytes are not a whole number of elements of ${elementBytes} bytes`,
    );
  }

  text(name: string): string {
    const bytes = this.bytes(name);
    try {
      return textDecoder.decode(bytes);
    } catch (cause) {
      throw this.fault(name, "not UTF-8 text", cause);
    }
  }

  double(name: string): number {
    this.#expect(wireType.fixed64, name);
    const [start] = this.#take(8, name);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  /** Reads an int64 that must be a safe integer. */
  integer(name: string): number {
    this.#expect(wireType.varint, name);
    return this.#varint(name);
  }

  /** Reads an int32; as in all protobuf readers, higher bits are dropped. */
  int32(name: string): number {
    this.#expect(wireType.varint, name);
    return this.#varintHalves(name)[0] | 0;
  }

  uint32(name: string): number {
    this.#expect(wireType.varint, name);
    return this.#varintHalves(name)[0];
  }

  boolean(name: string): boolean {
    this.#expect(wireType.varint, name);
    const [low, high] = this.#varintHalves(name);
    return low !== 0 || high !== 0;
  }

  /** Adds the dimensions of a repeated int64 field, packed or not, to `shape`. */
  dimensions(name: string, shape: number[]): void {
    const add = (dimension: number): void => {
      if (shape.push(dimension) > MAX_DIMENSIONS)
        throw this.fault(name, `more than ${MAX_DIMENSIONS} dimensions`);
    };
    if (this.#wireType === wireType.varint) {
      add(this.#varint(name));
      return;
    }
    const packed = this.message(name);
    while (packed.#offset < packed.#end) add(packed.#varint(""));
  }

  /** Makes a reader of the embedded message in this field. */
  message(name: string): ProtoReader {
    this.#expect(wireType.lengthDelimited, name);
    const range = this.#delimited(name);
    const reader = new ProtoReader(this.#bytes, this.#messageType, range, this.#memory, {
      parent: this,
      name,
    });
    reader.#fieldStart = range[0];
    return reader;
  }

  /**
   * Counts, before it is made, how much memory a part of the result takes beside views of the bytes. An empty part takes two
   * bytes here and a hundred there, so that a body of some megabytes could become gigabytes.
   *
   * @throws DecodeError when the result would be out of proportion to the body
   */
  spend(bytes: number, name: string): void {
    this.#memory.leftBytes -= bytes;
    if (this.#memory.leftBytes >= 0) return;
    throw this.fault(
      name,
      `the result would take more than ${MAX_BYTES_PER_BYTE} times the memory of its bytes`,
    );
  }

  /** Makes the error for a value of the current field that cannot be. */
  fault(name: string, fault: string, cause?: unknown): DecodeError {
    const place = { messageType: this.#messageType, field: this.#fieldPath(name), offset: this.#fieldStart };
    return new DecodeError(fault, place, { cause });
  }

  #fieldPath(name: string): string {
    const path = this.#parent === undefined ? "" : this.#parent.#fieldPath(this.#name);
    return name === "" || path === "" ? path + name : `${path}.${name}`;
  }

  #expect(type: number, name: string): void {
    if (this.#wireType !== type) throw this.fault(name, `wire type ${this.#wireType} where ${type} belongs`);
  }

  #delimited(name: string): readonly [start: number, end: number] {
    const length = this.#varint(name);
    if (length < 0) throw this.fault(name, `negative length ${length}`);
    return this.#take(length, name);
  }

  #take(length: number, name: string): readonly [start: number, end: number] {
    const start = this.#offset;
    const left = this.#end - start;
    if (length > left) throw this.fault(name, `needs ${length} bytes, ${left} are left`);
    this.#offset = start + length;
    return [start, this.#offset];
  }

  #varint(name: string): number {
    const [low, high] = this.#varintHalves(name);
    const value = (high | 0) * 0x1_0000_0000 + low;
    if (!Number.isSafeInteger(value)) throw this.fault(name, "an integer beyond 2^53");
    return value;
  }

  /** Reads the lower and upper 32 bits, both unsigned. */
  #varintHalves(name: string): readonly [low: number, high: number] {
    let low = 0;
    let high = 0;
    for (let count = 0; count < VARINT_BYTES; count += 1) {
      if (this.#offset >= this.#end) throw this.fault(name, "ends inside a number");
      const byte = this.#bytes[this.#offset] ?? 0;
      this.#offset += 1;
      const bits = byte & 0x7f;
      const shift = 7 * count;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return [low >>> 0, high >>> 0];
    }
    throw this.fault(name, `a number longer than ${VARINT_BYTES} bytes`);
  }
}
