import { checkBytes } from "@tinkex/base";
import { DecodeError } from "../decode-error.js";
import { wireType } from "./wire-type.js";

// A mark of byte order at the start of a string is part of it, as in all protobuf readers.
const textDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Memory that a message may become, in bytes: so many for each of its own, and these in any case. */
const MAX_BYTES_PER_BYTE = 10;
const FREE_BYTES = 64 * 1024 * 1024;

/** Dimensions a tensor may have; the shape is kept with each tensor of a batch. */
const MAX_DIMENSIONS = 64;

/** The most bytes of a varint: 64 bits, seven at a time; and of a tag, which has 32. */
const VARINT_BYTES = 10;
const TAG_BYTES = 5;

/** Bytes of a string that is read byte by byte where it is ASCII. */
const MAX_SHORT_TEXT = 16;

/** Messages and groups within one another, as many as other readers of protobuf follow. */
const MAX_DEPTH = 100;

/**
 * Messages within one body. An empty one takes two bytes and some tenths of a microsecond, so that a body of some megabytes would
 * hold the thread for seconds. A request of 5 MB, the most that clients send, has fewer even with a chunk for each token.
 */
const MAX_MESSAGES = 1_048_576;

/** Memory and work that the body may still take. */
interface Budget {
  leftBytes: number;
  leftMessages: number;
}

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
  /** Levels that it adds to those of messages within one another. */
  #levels = 1;
  #end: number;
  /** Parts of this message that come after the one being read, where it is sent in several. */
  #laterParts: (readonly [start: number, end: number])[] | undefined;
  #partCount = 0;
  /** Shared by the readers of all messages within the outermost. */
  readonly #budget: Budget;
  #offset: number;
  #wireType = 0;
  /** Offset at which the current field's tag begins. */
  #fieldStart = 0;

  private constructor(
    bytes: Uint8Array,
    messageType: string,
    [start, end]: readonly [start: number, end: number],
    budget: Budget,
    embedded?: { readonly parent: ProtoReader; readonly name: string },
  ) {
    this.#bytes = bytes;
    this.#messageType = messageType;
    this.#offset = start;
    this.#end = end;
    this.#budget = budget;
    this.#parent = embedded?.parent;
    this.#name = embedded?.name ?? "";
  }

  /** Reads a whole body, whose outermost message has this name. */
  static of(body: Uint8Array, messageType: string): ProtoReader {
    if (!(body instanceof Uint8Array) || body.byteLength === 0) checkBytes(body, "body");
    // A plain view, since a Buffer's subarray and slice behave differently.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    const budget = { leftBytes: FREE_BYTES + MAX_BYTES_PER_BYTE * bytes.length, leftMessages: MAX_MESSAGES };
    return new ProtoReader(bytes, messageType, [0, bytes.length], budget);
  }

  /** Goes to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#offset === this.#end && (this.#laterParts === undefined || !this.#goToNextPart())) return false;
    this.#fieldStart = this.#offset;
    const tag = this.#shortVarint();
    if (tag < 8) {
      this.#offset = this.#fieldStart;
      this.#readTag();
    } else {
      this.field = tag >>> 3;
      this.#wireType = tag & 7;
    }
    return true;
  }

  /** Passes over a field this reader does not know, whatever it holds: servers and clients that are newer send such fields. */
  skip(): void {
    switch (this.#wireType) {
      case wireType.varint:
        this.#varintHalves("");
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
      case wireType.startGroup:
        this.#skipGroup();
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
    this.#expect(wireType.lengthDelimited, name);
    const [start, end] = this.#delimited(name);
    // The decoder takes longer to call than a short string to read, of which a body may hold millions.
    const ascii = end - start > MAX_SHORT_TEXT ? undefined : this.#ascii(start, end);
    if (ascii !== undefined) return ascii;
    try {
      return textDecoder.decode(this.#bytes.subarray(start, end));
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
    const short = this.#shortVarint();
    return short >= 0 ? short : this.#varintHalves(name)[0] | 0;
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

  /**
   * Makes a reader of the embedded message in this field. A message that is not repeated may come in several parts, whose fields
   * are read one after the other: pass the reader of those before, and read it when there are no more.
   *
   * @param earlier - the reader of the parts before, which was not read yet
   */
  message(name: string, earlier?: ProtoReader): ProtoReader {
    this.#expect(wireType.lengthDelimited, name);
    const range = this.#delimited(name);
    this.#budget.leftMessages -= 1;
    if (this.#budget.leftMessages < 0)
      throw this.fault(name, `more than ${MAX_MESSAGES} messages in one body`);
    if (earlier !== undefined) {
      earlier.#laterParts ??= [];
      earlier.#laterParts.push(range);
      return earlier;
    }
    const reader = new ProtoReader(this.#bytes, this.#messageType, range, this.#budget, {
      parent: this,
      name,
    });
    reader.#fieldStart = range[0];
    return reader;
  }

  /** Makes a reader of the entry of a map in this field: a message of key and value, which is no level of its own. */
  entry(name: string): ProtoReader {
    const reader = this.message(name);
    reader.#levels = 0;
    return reader;
  }

  /**
   * Counts, before it is made, how much memory a part of the result takes beside views of the bytes. An empty part takes two
   * bytes here and a hundred there, so that a body of some megabytes could become gigabytes.
   *
   * @throws DecodeError when the result would be out of proportion to the body
   */
  spend(bytes: number, name: string): void {
    this.#budget.leftBytes -= bytes;
    if (this.#budget.leftBytes >= 0) return;
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

  /** Goes to the next part of this message that has a field; false where there is none. */
  #goToNextPart(): boolean {
    while (this.#offset === this.#end) {
      const part = this.#laterParts?.[this.#partCount];
      if (part === undefined) return false;
      [this.#offset, this.#end] = part;
      this.#partCount += 1;
    }
    return true;
  }

  #readTag(): void {
    const start = this.#offset;
    const [low, high] = this.#varintHalves("");
    if (low < 8 || high !== 0 || this.#offset - start > TAG_BYTES)
      throw this.fault("", `invalid tag ${high * 0x1_0000_0000 + low}`);
    this.field = low >>> 3;
    this.#wireType = low & 7;
  }

  /** Passes over the fields of a group up to the tag that ends it; groups within it are passed over on the way. */
  #skipGroup(): void {
    const maxGroups = MAX_DEPTH - this.#depth();
    const open = [this.field];
    while (open.length > 0) {
      if (open.length > maxGroups) throw this.fault("", `groups nested more than ${maxGroups} deep`);
      if (this.#offset === this.#end) throw this.fault("", "ends inside a group");
      this.#readTag();
      if (this.#wireType === wireType.startGroup) open.push(this.field);
      else if (this.#wireType !== wireType.endGroup) this.skip();
      else if (open.pop() !== this.field)
        throw this.fault("", `group ${this.field} ends where another is open`);
    }
  }

  /** Reads characters of a byte each; undefined where one has more. */
  #ascii(start: number, end: number): string | undefined {
    let text = "";
    for (let index = start; index < end; index += 1) {
      const byte = this.#bytes[index] ?? 0;
      if (byte >= 0x80) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #depth(): number {
    return this.#parent === undefined ? 1 : this.#levels + this.#parent.#depth();
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
    const short = this.#shortVarint();
    if (short >= 0) return short;
    const [low, high] = this.#varintHalves(name);
    const value = (high | 0) * 0x1_0000_0000 + low;
    if (!Number.isSafeInteger(value)) throw this.fault(name, "an integer beyond 2^53");
    return value;
  }

  /** Reads a varint of one byte, as nearly all are; -1, and nothing read, where it is longer. */
  #shortVarint(): number {
    const byte = this.#offset < this.#end ? (this.#bytes[this.#offset] ?? 0) : 0x80;
    if (byte >= 0x80) return -1;
    this.#offset += 1;
    return byte;
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
