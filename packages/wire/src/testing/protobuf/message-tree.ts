import { type MessageShape, WIRE } from "./message-shape.js";

/** A field taken apart, so that a part of it can be changed: its parts where it is a message, else its bytes. */
export interface TreeField {
  readonly number: number;
  wireType: number;
  /** Bytes of a varint or of a fixed number, or the content of a delimited field. */
  content: Uint8Array | TreeField[];
  readonly shape: MessageShape | undefined;
  /** Bytes of zero that lengthen the varints of tag and length. */
  tagPadding?: number;
  lengthPadding?: number;
  /** Bytes in place of the end of a group. */
  groupEnd?: Uint8Array;
}

/** Takes apart the bytes of a message without faults. */
export function treeOf(bytes: Uint8Array, shape: MessageShape | undefined): TreeField[] {
  const fields: TreeField[] = [];
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[offset] ?? 0;
      offset += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (offset < bytes.length) {
    const tag = varint();
    const [number, wireType] = [tag >>> 3, tag & 7];
    const known = shape?.get(number);
    let start = offset;
    if (wireType === WIRE.varint) varint();
    else if (wireType === WIRE.delimited) {
      const length = varint();
      start = offset;
      offset += length;
    } else offset += wireType === WIRE.fixed64 ? 8 : 4;
    const content = bytes.subarray(start, offset);
    fields.push({
      number,
      wireType,
      content: known?.message === undefined ? content : treeOf(content, known.message),
      shape: known?.message,
    });
  }
  return fields;
}

/** Puts the bytes of a message together again. */
export function bytesOf(fields: readonly TreeField[]): number[] {
  return fields.flatMap((field) => {
    const content = Array.isArray(field.content) ? bytesOf(field.content) : [...field.content];
    const tag = varintOf(field.number * 8 + field.wireType, field.tagPadding);
    if (field.wireType === WIRE.delimited)
      return [...tag, ...varintOf(content.length, field.lengthPadding), ...content];
    if (field.wireType !== WIRE.startGroup) return [...tag, ...content];
    return [...tag, ...content, ...(field.groupEnd ?? varintOf(field.number * 8 + WIRE.endGroup))];
  });
}

/** Writes an integer as a varint, with so many bytes more than it needs. */
export function varintOf(value: number | bigint, padding = 0): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  } while (rest > 0n);
  for (let index = 0; index < padding; index += 1) bytes.push(0x80);
  return [...bytes.slice(0, -1), (bytes.at(-1) ?? 0) & 0x7f];
}
