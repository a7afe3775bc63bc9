import { commentsOf } from "./comments.js";
import type { Rule } from "./finding.js";
import { findingAt } from "./finding.js";
import { startsLowerCase } from "./first-word.js";

/** Words that begin a clause without a verb of its own, so that the comment must be read twice. */
const RELATIVE_WORDS: ReadonlySet<string> = new Set([
  "what",
  "who",
  "whose",
  "whom",
  "whether",
  "which",
  "where",
  "how",
]);

/** Finds comments whose first word is a relative one. */
export const findRelativeOpenings: Rule = (tree) =>
  commentsOf(tree).flatMap(({ position, text }) => {
    const [word = ""] = /^[A-Za-z]*/.exec(text) ?? [];
    if (!RELATIVE_WORDS.has(word.toLowerCase())) return [];
    const [line = ""] = text.split("\n");
    return [findingAt(tree, position, line)];
  });

/** Finds `@param` tags that are not of the form `@param name - text`, with the text in lower case. */
export const findParamForms: Rule = (tree) =>
  commentsOf(tree).flatMap(({ position, text, isDoc }) => {
    if (!isDoc) return [];
    const tags = text.split("\n").filter((line) => line.startsWith("@param"));
    return tags.filter((line) => !isParamForm(line)).map((line) => findingAt(tree, position, line));
  });

function isParamForm(line: string): boolean {
  const [, , dash, ...words] = line.replace(/^@param \{[^}]*\}/, "@param").split(" ");
  return dash === "-" && words.length > 0 && startsLowerCase(words.join(" "));
}
