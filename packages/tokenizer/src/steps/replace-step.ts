import { ValidationError } from "@tinkex/base";
import { isRecord } from "../file-format/is-record.js";
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
  const wanted = isRecord(pattern) && typeof pattern.String === "string" ? pattern.String : "";
  return (text) => {
    // Most tokens have nothing to be replaced, and decoders ask of each.
    if (!text.includes(wanted)) return text;
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
