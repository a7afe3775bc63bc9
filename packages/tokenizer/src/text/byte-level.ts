/**
 * The characters in which byte-level vocabularies spell bytes (the GPT-2 scheme): printable Latin-1 characters stand
 * for themselves, U+0100 and on for the 68 other bytes, in order.
 */
const CHARACTER_OF_BYTE: readonly string[] = (() => {
  const isPrintable = (byte: number) => (byte >= 0xa1 ? byte !== 0xad : byte >= 0x21 && byte <= 0x7e);
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const spelledAnew = bytes.filter((byte) => !isPrintable(byte));
  return bytes.map((byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : 0x100 + spelledAnew.indexOf(byte)),
  );
})();

const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = new Map(
  CHARACTER_OF_BYTE.map((character, byte) => [character, byte]),
);

const UTF8 = new TextEncoder();

/** A text with its UTF-8 bytes spelled in the byte alphabet, as byte-level vocabularies write it. */
export function spellBytes(text: string): string {
  return spellByteList(UTF8.encode(text));
}

/** Bytes, which need not be UTF-8, spelled in the byte alphabet. */
export function spellByteList(bytes: Uint8Array): string {
  let spelled = "";
  for (const byte of bytes) spelled += CHARACTER_OF_BYTE[byte];
  return spelled;
}

/**
 * Makes a function that gives the bytes a token of a byte-level vocabulary stands for, and remembers them. A token
 * that is not spelled in the byte alphabet (an added token such as `<｜User｜>`) stands for its own text.
 */
export function byteLevelTokenBytes(): (token: string) => Uint8Array {
  const known = new Map<string, Uint8Array>();
  return (token) => {
    let bytes = known.get(token);
    if (bytes === undefined) {
      bytes = spelledBytes(token) ?? UTF8.encode(token);
      known.set(token, bytes);
    }
    return bytes;
  };
}

function spelledBytes(token: string): Uint8Array | undefined {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i += 1) {
    const byte = BYTE_OF_CHARACTER.get(token.charAt(i));
    if (byte === undefined) return undefined;
    bytes[i] = byte;
  }
  return bytes;
}
