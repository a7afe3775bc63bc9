import { leafParts, type PartConfig } from "./leaf-parts.js";
import { buildWithLibrary, made } from "./library-part.js";
import { replaceStep } from "./replace-step.js";
import { checkGrowth } from "./within-growth.js";

/**
 * Makes the normaliser of a tokenizer.json: part by part, each done by the library but for `Replace`.
 * @throws ValidationError when the library does not know a part.
 */
export function createNormalizer(section: object | null): (text: string) => string {
  const steps = leafParts(section, "normalizers").map(step);
  return (text) => {
    let normalized = text;
    for (const normalize of steps) {
      normalized = normalize(normalized);
      checkGrowth(normalized.length, text.length, "normalizer");
    }
    return normalized;
  };
}

function step(part: PartConfig): (text: string) => string {
  if (part.type === "Replace") return replaceStep(part, "normalizer");
  return made(buildWithLibrary({ normalizer: part }).normalizer, "normalizer");
}
