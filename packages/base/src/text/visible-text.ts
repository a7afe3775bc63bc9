/**
 * Characters that a terminal obeys instead of showing them, or that change the order of what stands around them: C0 and C1
 * controls, line and paragraph separators, directions, zero-width marks, lone surrogates, tags, U+FEFF.
 */
const UNSHOWABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Escapes control characters (`\u001b`), so that a text that somebody else wrote can stand in a message or a log line.
 *
 * @param isMultiline - leaves line feeds and tabs as they are
 */
export function visibleText(text: string, isMultiline = false): string {
  return text.replace(UNSHOWABLE, (character) => {
    if (isMultiline && (character === "\n" || character === "\t")) return character;
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return SHORT_ESCAPES[character] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`);
  });
}
