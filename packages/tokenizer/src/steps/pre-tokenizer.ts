import { leafParts, type PartConfig } from "./leaf-parts.js";
import { buildWithLibrary, made } from "./library-part.js";
import { replaceStep } from "./replace-step.js";
import { splitStep } from "./split-step.js";
import { checkGrowth } from "./within-growth.js";

/** Splits a text into words. `isFirst`: it begins the text that was given. */
export type PreTokenizer = (text: string, isFirst: boolean) => string[];

/**
 * Makes the pre-tokenizer of a tokenizer.json: part by part, each done by the library but for those with patterns.
 * @throws ValidationError when the library does not know a part.
 */
export function createPreTokenizer(section: object | null): PreTokenizer {
  const steps = leafParts(section, "pretokenizers").map(step);
  return (text, isFirst) => {
    let words = [text];
    for (const split of steps) {
      words = split(words, isFirst);
      checkGrowth(totalLength(words), text.length, "pre_tokenizer");
    }
    return words;
  };
}

function step(part: PartConfig): (texts: string[], isFirst: boolean) => string[] {
  if (part.type === "Split") return splitStep(part);
  if (part.type === "Replace") {
    const replace = replaceStep(part, "pre_tokenizer");
    return (texts) => texts.map(replace);
  }
  const split = made(buildWithLibrary({ pre_tokenizer: part }).pre_tokenizer, "pre_tokenizer");
  return (texts, isFirst) => split(texts, { section_index: isFirst ? 0 : 1 });
}

function totalLength(words: readonly string[]): number {
  let length = 0;
  for (const word of words) length += word.length;
  return length;
}
