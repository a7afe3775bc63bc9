/** Names that keep their capital wherever they stand. */
const PROPER_NOUNS: ReadonlySet<string> = new Set([
  "Adam",
  "Bearer",
  "Chromium",
  "Float32Array",
  "Harmony",
  "Jinja",
  "Kimi",
  "Linux",
  "Llama",
  "Node",
  "Nemotron",
  "Playwright",
  "Python",
  "Qwen",
  "Rust",
  "Tinker",
  "Tinkex",
  "Unicode",
  "Windows",
]);
/** First names of proper nouns of two words. */
const TWO_WORDS = ["Hugging Face"];

/**
 * Tells whether a text starts as messages do here: in lower case, unless its first word keeps its capital anywhere. That is an
 * identifier (another capital, a digit, a dot, an underscore or a bracket in it, as `TensorData` or `Datum.fields`), an acronym
 * (capitals only, of two letters or more), a proper noun of the list or a place before a colon (`Transpose: …`). A text that
 * starts with a quote or a number is fine.
 */
export function startsLowerCase(text: string): boolean {
  const [first = ""] = text.trimStart().split(/\s/, 1);
  if (!/^\p{Lu}/u.test(first) || first.endsWith(":")) return true;
  const word = first.replace(/[,:;.!?]$/, "");
  return (
    PROPER_NOUNS.has(word.replace(/'s$/, "")) ||
    TWO_WORDS.some((noun) => text.startsWith(noun)) ||
    /^.+[\p{Lu}\d._([<]/u.test(word)
  );
}
