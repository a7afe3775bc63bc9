import { ValidationError } from "@tinkex/base";
import { createAddedTokens } from "./added-tokens.js";
import type { RendererTokenizer } from "./renderer-tokenizer.js";
import { type TextRun, textOfRuns } from "./text-run.js";

/** Ids of runs of text. */
export type RunEncoder = (runs: readonly TextRun[]) => readonly number[];

/**
 * Encodes text in such a way that only what the layout itself wrote becomes an added token, whatever the text it was given spells
 * out. Text that spells none has the ids that it has anyway.
 *
 * @throws ValidationError when the tokenizer does not tell its added tokens
 */
export function literalEncoder(tokenizer: RendererTokenizer): RunEncoder {
  if (tokenizer.addedTokens === undefined) {
    throw new ValidationError(
      "literalText needs a tokenizer that has addedTokens, got one without: take one that createTokenizer or getTokenizer made, or give yours the field",
      { path: ["tokenizer", "addedTokens"] },
    );
  }
  const added = createAddedTokens(tokenizer.addedTokens);

  /** Encodes text without tokens of the layout. */
  const encodePlain = (text: string): readonly number[] => {
    const encode = (piece: string) => tokenizer.encode(piece, { allowedSpecial: [] });
    const ids = encode(text);
    if (!ids.some(added.hasId)) return ids;
    return added.cut(text).flatMap((piece) => {
      const cut = encode(piece);
      // A tokenizer that rewrites text may find a token where none is spelled out: no character alone is one.
      return cut.some(added.hasId) ? Array.from(piece).flatMap(encode) : cut;
    });
  };

  return (runs) => {
    const text = textOfRuns(runs);
    const own = ownTokens(runs, added.findIn);
    const whole = tokenizer.encode(text, { allowedSpecial: "all" });
    const found = whole.filter(added.hasId);
    if (found.length === own.length && own.every(({ id }, index) => id === found[index])) return whole;
    const ids: number[] = [];
    let position = 0;
    for (const { id, start, end } of own) {
      for (const plain of encodePlain(text.slice(position, start))) ids.push(plain);
      ids.push(id);
      position = end;
    }
    for (const plain of encodePlain(text.slice(position))) ids.push(plain);
    return ids;
  };
}

/** The tokens that the layout itself spells out, by their place in the whole text. */
function ownTokens(runs: readonly TextRun[], findIn: ReturnType<typeof createAddedTokens>["findIn"]) {
  const tokens: { readonly id: number; readonly start: number; readonly end: number }[] = [];
  let position = 0;
  for (const run of joinOwn(runs)) {
    if (typeof run === "string") {
      for (const { id, start, end } of findIn(run)) {
        tokens.push({ id, start: position + start, end: position + end });
      }
    }
    position += textOfRuns([run]).length;
  }
  return tokens;
}

/** Joins runs of the layout that stand together: a token may be written in two parts. */
function joinOwn(runs: readonly TextRun[]): TextRun[] {
  const joined: TextRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (typeof run === "string" && typeof last === "string") joined[joined.length - 1] = last + run;
    else if (textOfRuns([run]) !== "") joined.push(run);
  }
  return joined;
}
