import { stripVTControlCharacters } from "node:util";
import { CANARY_KEY, CANARY_PROMPT, CANARY_TOKENS } from "./canaries.mjs";

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * A list of numbers however it is printed: at most some punctuation and space between two of them, and where an array was
 * made an object of, the next one's name. A negative number is another one.
 *
 * @param {readonly number[]} numbers
 */
const listed = (numbers) => numbers.join("n?[^0-9A-Za-z-]{1,12}(?:[0-9]+[^0-9A-Za-z-]{1,6})?");

/**
 * The spellings in which a text may come out: as it is, with its spaces encoded for a URL, and its bytes as base64 (whose
 * first letters depend on what stands before it, so that only the middle is looked for), as hexadecimal, run together or not,
 * and as a list of numbers.
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
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const plain = [text, ...base64, encodeURIComponent(text), text.replaceAll(" ", "+")];
  return [
    ...plain.map(escaped),
    hex.join("[^0-9A-Za-z]{0,3}"),
    hex.map((byte) => byte.toUpperCase()).join("[^0-9A-Za-z]{0,3}"),
    listed([...bytes]),
  ];
}

/** What is looked for, by the name under which a find is told; the canary itself must not be in the report. */
const PATTERNS = [
  { what: "the canary key", pattern: new RegExp(spellings(CANARY_KEY).join("|"), "g") },
  { what: "the canary prompt", pattern: new RegExp(spellings(CANARY_PROMPT).join("|"), "g") },
  { what: "the canary's tokens", pattern: new RegExp(listed(CANARY_TOKENS), "g") },
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
