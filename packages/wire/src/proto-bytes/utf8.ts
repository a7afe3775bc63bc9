const encoder = new TextEncoder();

/** Number of bytes of `text` in UTF-8; lone surrogates count as the replacement they are written as. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      length += 1;
    } else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      // Two units make four bytes.
      length += 2;
      index++;
    } else {
      length += 2;
    }
  }
  return length;
}

/** Writes `text` at `offset` and gives the number of bytes. */
export function writeUtf8(text: string, target: Uint8Array, offset: number): number {
  return encoder.encodeInto(text, target.subarray(offset)).written;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
