import { utf8Length } from "./utf8.js";

/** Bytes of a varint of a number from 0 to 2⁵³. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

// All field numbers of the schema are below 16, so a tag takes one byte.
const TAG_SIZE = 1;

/** Bytes of a length-delimited field of `length` bytes: tag, length and content. */
export function delimitedSize(length: number): number {
  return TAG_SIZE + varintSize(length) + length;
}

/** Bytes of a varint field, or 0 for the default value, which is not written. */
export function varintFieldSize(value: number): number {
  return value === 0 ? 0 : TAG_SIZE + varintSize(value);
}

/** Bytes of a string field, or 0 for the empty string, which is not written. */
export function stringFieldSize(text: string): number {
  return text === "" ? 0 : delimitedSize(utf8Length(text));
}

/** Bytes of a string that is written even when empty: a map key, or a member of a oneof. */
export function presentStringSize(text: string): number {
  return delimitedSize(utf8Length(text));
}

export const DOUBLE_FIELD_SIZE = TAG_SIZE + 8;

/** Bytes of a packed list of varints, or 0 when it is empty. */
export function packedVarintsSize(values: readonly number[]): number {
  return values.length === 0 ? 0 : delimitedSize(packedLength(values));
}

/** Bytes of the content of a packed list. */
export function packedLength(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + varintSize(value), 0);
}
