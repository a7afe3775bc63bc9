import { ValidationError } from "@tinkex/base";
import { patternFinder } from "../patterns/pattern-finder.js";
import type { PartConfig } from "./leaf-parts.js";
import { cutAtMatches } from "./split-behavior.js";
import { changeEach, cutEach, type WordStep } from "./words.js";

/** Settings of a Metaspace: the character that stands for a space, and where one is put before a text. */
export interface Metaspace {
  readonly mark: string;
  readonly prepends: "always" | "first" | "never";
}

const SCHEMES = ["always", "first", "never"] as const;

/**
 * Reads the settings that the pre-tokenizer and the decoder have in common.
 * @throws ValidationError when they are at odds, as in Rust.
 */
export function readMetaspace(part: PartConfig): Metaspace {
  const { replacement: mark = "\u2581", prepend_scheme: scheme, add_prefix_space: addsSpace } = part;
  const prepends = SCHEMES.find((name) => name === (scheme ?? (addsSpace === false ? "never" : "always")));
  if (typeof mark !== "string" || prepends === undefined || (addsSpace === false && prepends !== "never")) {
    throw new ValidationError(
      `prepend_scheme of a Metaspace of this tokenizer.json must be always, first or never, and never where add_prefix_space is false, got ${JSON.stringify(scheme)}`,
    );
  }
  return { mark, prepends };
}

/** Makes the steps of the pre-tokenizer: spaces become the mark, and words begin with it. (`pre_tokenizers/metaspace.rs`) */
export function metaspaceStep(part: PartConfig): WordStep[] {
  const { mark, prepends } = readMetaspace(part);
  const spell = changeEach((text, startsText) => {
    const spelled = text.replaceAll(" ", () => mark);
    const isWanted = prepends === "always" || (prepends === "first" && startsText);
    return isWanted && !spelled.startsWith(mark) ? mark + spelled : spelled;
  });
  if (part.split === false) return [spell];
  return [spell, cutEach(cutAtMatches(patternFinder({ String: mark }), { behavior: "MergedWithNext" }))];
}
