/** A place that may make a regular expression at run time, and the reason why what it makes is linear. */
export interface AllowedDynamicPattern {
  readonly file: string;
  readonly text: string;
  readonly reason: string;
}

export const DYNAMIC_PATTERNS: readonly AllowedDynamicPattern[] = [
  {
    file: "packages/tokenizer/src/added-tokens/added-token-splitter.ts",
    text: `new RegExp(\`[\${escaped.join("")}]\`, "g")`,
    reason: "One character of a set: nothing in it repeats.",
  },
  {
    file: "packages/tokenizer/src/patterns/character-test.ts",
    text: `new RegExp(\`^(?:\${source})$\`, "u")`,
    reason: "It is asked about one code point at a time, and each answer is remembered.",
  },
  {
    file: "packages/tokenizer/src/patterns/pattern-finder.ts",
    text: `new RegExp(source.replaceAll("[sS]", "[sS\\u017f]").replaceAll("[kK]", "[kK\\u212a]"), flags)`,
    reason: "It runs only where its shape proves it linear, and else in a matcher that is.",
  },
  {
    file: "packages/tokenizer/src/text/code-points.ts",
    text: `new RegExp(character, "gu")`,
    reason: "One character of a set that is written down in the package: nothing in it repeats.",
  },
];
