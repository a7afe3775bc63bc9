/** Reads bytes from hexadecimal digits; blanks are for the reader. */
export function hex(text: string): Uint8Array {
  const digits = text.replace(/\s/g, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}

/** Writes bytes as hexadecimal digits, without blanks. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
