/** A place that may make a regular expression at run time, and the reason why what it makes is linear. */
export interface AllowedDynamicPattern {
  readonly file: string;
  readonly text: string;
  readonly reason: string;
}

export const DYNAMIC_PATTERNS: readonly AllowedDynamicPattern[] = [
  {
    file: "packages/tokenizer/src/literal-marks.ts",
    text: 'new RegExp([...candidates, "[^\\\\0-\\\\x7F]"].join("|"), "gu")',
    reason: "Alternatives of fixed text and of single characters: nothing in it repeats.",
  },
  {
    file: "packages/tokenizer/src/literal-pattern.ts",
    text: 'new RegExp(branches.join("|"), "g")',
    reason: "Alternatives of escaped text: nothing in it repeats.",
  },
  {
    file: "packages/tokenizer/src/patterns/character-test.ts",
    text: `new RegExp(\`^(?:\${source})$\`, "u")`,
    reason: "It is asked about one code point at a time, and each answer is remembered.",
  },
];
