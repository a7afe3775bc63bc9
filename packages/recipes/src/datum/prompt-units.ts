import { checkArray, checkObject } from "@tinkex/base";
import { ModelInput, type ModelInputChunk, type TokenIds } from "@tinkex/types";
import { checkNumbers } from "../arguments/check-numbers.js";
import { isSameData } from "./is-same-data.js";

/** A part of a prompt that is compared as a whole: a token by its id, an image by all it holds. */
export type PromptUnit = number | ModelInputChunk;

/** Parts of a prompt in order. @throws ValidationError when it is neither tokens nor a model input */
export function promptUnits(prompt: ModelInput | TokenIds, place: string): PromptUnit[] {
  if (!isModelInput(prompt)) {
    checkNumbers(prompt, place);
    return Array.from(prompt, Number);
  }
  checkArray(prompt.chunks, `${place}.chunks`);
  return prompt.chunks.flatMap((chunk, index): PromptUnit[] => {
    checkObject(chunk, `${place}.chunks[${index}]`);
    if (!("tokens" in chunk)) return [chunk];
    checkNumbers(chunk.tokens, `${place}.chunks[${index}].tokens`);
    return Array.from(chunk.tokens, Number);
  });
}

/** Number of positions that parts take. */
export function unitsLength(units: readonly PromptUnit[]): number {
  let length = 0;
  for (const unit of units) length += typeof unit === "number" ? 1 : ModelInput.length({ chunks: [unit] });
  return length;
}

/** Tells whether a prompt begins with the parts of a document. */
export function beginsWith(prompt: readonly PromptUnit[], document: readonly PromptUnit[]): boolean {
  return prompt.length >= document.length && document.every((unit, index) => isSameData(unit, prompt[index]));
}

/** Parts as chunks; tokens that follow each other share one. */
export function chunksOf(units: readonly PromptUnit[]): ModelInputChunk[] {
  const chunks: ModelInputChunk[] = [];
  let tokens: number[] | undefined;
  for (const unit of units) {
    if (typeof unit !== "number") {
      chunks.push(unit);
      tokens = undefined;
    } else if (tokens === undefined) {
      tokens = [unit];
      chunks.push({ type: "encoded_text", tokens });
    } else tokens.push(unit);
  }
  return chunks;
}

function isModelInput(prompt: ModelInput | TokenIds): prompt is ModelInput {
  return typeof prompt === "object" && prompt !== null && "chunks" in prompt;
}
