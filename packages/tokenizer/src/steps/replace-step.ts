import { ValidationError } from "@tinkex/base";
import { patternFinder } from "../patterns/pattern-finder.js";
import type { PartConfig } from "./leaf-parts.js";
import { checkGrowth } from "./within-growth.js";

/** Replaces every match of a part's `pattern` by its `content`, which stands for itself, dollar signs too. */
export function replaceStep(part: PartConfig, section: string): (text: string) => string {
  const { pattern, content = "" } = part;
  if (typeof content !== "string") {
    throw new ValidationError(`content of a Replace in ${section} of this tokenizer.json must be a text`);
  }
  const find = patternFinder(pattern);
  return (text) => {
    const pieces: string[] = [];
    let end = 0;
    for (const match of find(text)) {
      pieces.push(text.slice(end, match.start), content);
      end = match.end;
    }
    if (pieces.length === 0) return text;
    checkGrowth(text.length + (pieces.length / 2) * content.length, text.length, section);
    pieces.push(text.slice(end));
    return pieces.join("");
  };
}
