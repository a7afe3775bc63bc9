/** Says of a code point whether it is one of a set. */
export type CharacterTest = (codePoint: number) => boolean;

const PAGE_BITS = 8;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
const [UNKNOWN, YES, NO] = [0, 1, 2];

/**
 * Makes the test for one character of a regular expression, e.g. `[^\s\p{L}]`. Answers are remembered by pages of 256
 * code points, as texts are written in few scripts.
 */
export function characterTest(source: string): CharacterTest {
  const pattern = new RegExp(`^(?:${source})$`, "u");
  const pages: Uint8Array[] = [];
  return (codePoint) => {
    let page = pages[codePoint >> PAGE_BITS];
    if (page === undefined) {
      page = new Uint8Array(PAGE_MASK + 1);
      pages[codePoint >> PAGE_BITS] = page;
    }
    const place = codePoint & PAGE_MASK;
    if (page[place] === UNKNOWN) page[place] = pattern.test(String.fromCodePoint(codePoint)) ? YES : NO;
    return page[place] === YES;
  };
}
