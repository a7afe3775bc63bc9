import { stripVTControlCharacters } from "node:util";
import { CANARY_KEY, CANARY_PROMPT, CANARY_TOKENS } from "./canaries.mjs";

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * The spellings in which a text may come out: as it is, as base64 (whose first letters depend on what stands before it, so
 * that only the middle is looked for) and hexadecimal, and with its spaces encoded for a URL.
 *
 * @param {string} text
 */
function spellings(text) {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  return [text, bytes.toString("hex"), ...base64, encodeURIComponent(text), text.replaceAll(" ", "+")];
}

/** What is looked for, by the name under which a find is told; the canary itself must not be in the report. */
const PATTERNS = [
  { what: "the canary key", pattern: new RegExp(spellings(CANARY_KEY).map(escaped).join("|"), "g") },
  { what: "the canary prompt", pattern: new RegExp(spellings(CANARY_PROMPT).map(escaped).join("|"), "g") },
  // However a list of numbers is printed: at most some punctuation and space between the two.
  { what: "the canary's tokens", pattern: new RegExp(CANARY_TOKENS.join("[^0-9A-Za-z]{0,12}"), "g") },
];

/**
 * Looks for planted secrets in a text.
 *
 * @param {string} text
 * @returns {{ what: string, line: number }[]} what was found, and in which line, from 1
 */
export function findCanaries(text) {
  const plain = stripVTControlCharacters(text);
  return PATTERNS.flatMap(({ what, pattern }) =>
    [...plain.matchAll(pattern)].map(({ index }) => ({
      what,
      line: plain.slice(0, index).split("\n").length,
    })),
  );
}
