const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** Gives the first byte of a text that is neither white space nor part of a mark of byte order; 0 where there is none. */
export function firstByte(body: Uint8Array): number {
  const isMarked = BYTE_ORDER_MARK.every((byte, at) => body[at] === byte);
  return body.subarray(isMarked ? BYTE_ORDER_MARK.length : 0).find((byte) => byte > 0x20) ?? 0;
}
