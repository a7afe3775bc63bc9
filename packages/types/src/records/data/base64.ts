import { checkBytes, checkString, ValidationError } from "@tinkex/base";

/** Bytes per slice: a multiple of 3, so that slices join without padding, and few enough to pass as arguments. */
const SLICE_BYTES = 0x6000;

/** Writes standard base64, with padding and without line breaks. */
export function toBase64(bytes: Uint8Array): string {
  checkBytes(bytes, "toBase64: bytes");
  let text = "";
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + SLICE_BYTES)));
  }
  return text;
}

/**
 * Reads the bytes of base64; line breaks and blanks are skipped.
 *
 * @throws ValidationError when the text is not base64
 */
export function fromBase64(text: string): Uint8Array {
  checkString(text, "fromBase64: text");
  let binary: string;
  try {
    binary = atob(text);
  } catch (cause) {
    throw new ValidationError("not base64 text: check its alphabet and padding", { cause });
  }
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
