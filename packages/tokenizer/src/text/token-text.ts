/** Joins tokens, as they are written in the vocabulary, to the text they stand for. */
export type TokenText = (tokens: readonly string[]) => string;

/**
 * Text of tokens that stand for bytes. Bytes that are no UTF-8 (half a character) become U+FFFD, one for each maximal
 * ill-formed stretch, as Rust and the Encoding Standard do.
 */
export function textOfTokenBytes(bytesOf: (token: string) => Uint8Array): TokenText {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  return (tokens) => {
    const parts = tokens.map(bytesOf);
    const all = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return utf8.decode(all);
  };
}
