import { rememberWordIds } from "./word-ids.js";

const UTF8 = new TextEncoder();

/**
 * Makes the look-up of the tokens that stand for the single bytes of a text, such as `<0x0A>`; undefined where one is missing.
 */
export function byteTokens(
  idsByToken: ReadonlyMap<string, number>,
): (text: string) => readonly number[] | undefined {
  const ids = Array.from({ length: 256 }, (_, byte) =>
    idsByToken.get(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
  );
  // A text is made of few different characters, and TextEncoder takes longer for one than all the rest.
  return rememberWordIds((text) => {
    const found: number[] = [];
    for (const byte of UTF8.encode(text)) {
      const id = ids[byte];
      if (id === undefined) return undefined;
      found.push(id);
    }
    return found;
  });
}
