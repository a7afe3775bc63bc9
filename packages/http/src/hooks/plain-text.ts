/** A text as somebody would read it, and the places in the original that its characters come from. */
export interface PlainText {
  readonly plain: string;
  /** Gives the place in the original at which the character at `index` begins. */
  startOf(index: number): number;
  /** Gives the place in the original at which the character at `index` ends. */
  endOf(index: number): number;
}

/** The letter t as JSON, JavaScript, URLs and HTML escape it (`\u0074`, `\x74`, `%74`, `&#116;`), and escaped punctuation. */
const ESCAPE =
  /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|\\([^0-9a-z])/gi;

/** Characters that nobody sees: controls, soft hyphens, zero-width marks, directions. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Gives the ways to read a text: without what cannot be seen, then with its escapes undone, once, twice and so on up to `layers`. */
export function* plainTexts(text: string, layers: number): Generator<PlainText> {
  let current = rewritten(asWritten(text), INVISIBLE, () => "");
  yield current;
  for (let layer = 0; layer < layers; layer += 1) {
    const next = rewritten(current, ESCAPE, unescaped);
    if (next.plain === current.plain) return;
    current = rewritten(next, INVISIBLE, () => "");
    yield current;
  }
}

function asWritten(text: string): PlainText {
  return { plain: text, startOf: (index) => index, endOf: (index) => index + 1 };
}

/** Gives the text with every match replaced by what is no longer than it. */
function rewritten(text: PlainText, pattern: RegExp, replace: (match: RegExpExecArray) => string): PlainText {
  const { plain } = text;
  pattern.lastIndex = 0;
  let match = pattern.exec(plain);
  if (match === null) return text;
  const parts: string[] = [];
  const starts = new Uint32Array(plain.length);
  const ends = new Uint32Array(plain.length);
  let length = 0;
  let done = 0;
  const put = (from: number, to: number): void => {
    starts[length] = text.startOf(from);
    ends[length] = text.endOf(to);
    length += 1;
  };
  const keep = (end: number): void => {
    parts.push(plain.slice(done, end));
    for (; done < end; done += 1) put(done, done);
  };
  for (; match !== null; match = pattern.exec(plain)) {
    keep(match.index);
    const replacement = replace(match);
    parts.push(replacement);
    done = match.index + match[0].length;
    for (let unit = 0; unit < replacement.length; unit += 1) put(match.index, done - 1);
  }
  keep(plain.length);
  return {
    plain: parts.join(""),
    startOf: (index) => starts[index] ?? 0,
    endOf: (index) => ends[index] ?? 0,
  };
}

function unescaped([whole, braced, unit, byte, percent, hex, decimal, itself]: RegExpExecArray): string {
  if (itself !== undefined) return itself;
  const digits = braced ?? unit ?? byte ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : (whole ?? "");
}
