import type { DecodeModel } from "./decode-model.js";
import { copyKeyValues, emptyKeyValues, type KeyValueLayout, type KeyValues } from "./key-values.js";
import type { Prediction } from "./logprobs.js";

/** A prompt to be read. */
export interface Prompt {
  /** At least one. */
  readonly tokens: Int32Array;
  /** Is given the prediction at every position, in order. Absent: only the last is computed. */
  readonly onPrediction?: (position: number, prediction: Prediction) => void;
  /** Is the same for prompts that may be read once for all. Absent: this one is read for itself. */
  readonly key?: string;
}

/** A prompt that has been read: what its samples start from. */
export interface PrefilledPrompt {
  readonly keyValues: KeyValues;
  readonly row: number;
  readonly length: number;
  /** Of the first token of the answer. */
  readonly prediction: Prediction;
}

/**
 * Length to which prompts of this many tokens are padded, within the model's context. Prompts are read side by side
 * only when it is the same for all of them: the runtime's sums round differently for rows of another length, and what a
 * prompt gives should not depend on what happens to be read beside it.
 */
export function paddedLength(tokens: number, contextLength: number): number {
  return Math.min(contextLength, Math.ceil(tokens / 16) * 16);
}

/** Reads several prompts in one run, padded to `time` tokens each. */
export async function prefill(
  model: DecodeModel,
  prompts: readonly Prompt[],
  time: number,
): Promise<PrefilledPrompt[]> {
  const rows = prompts.length;
  const tokens = new Int32Array(rows * time);
  prompts.forEach((prompt, row) => {
    tokens.set(prompt.tokens, row * time);
  });
  // For each prompt either all its positions or the last one.
  const firsts = prompts.map((prompt) => (prompt.onPrediction ? 0 : prompt.tokens.length - 1));
  const selected = prompts.flatMap((prompt, row) =>
    range(firsts[row] ?? 0, prompt.tokens.length).map((position) => row * time + position),
  );
  const { prediction, keyValues } = await model.run({
    tokens,
    rows,
    time,
    selected: Int32Array.from(selected),
  });
  let index = 0;
  return prompts.map((prompt, row) => {
    const { length } = prompt.tokens;
    for (let position = firsts[row] ?? 0; position < length; position += 1) {
      prompt.onPrediction?.(position, prediction(index));
      index += 1;
    }
    return { keyValues, row, length, prediction: prediction(index - 1) };
  });
}

/**
 * Reads one long prompt piece by piece, so that a run never holds more than `piece` tokens.
 *
 * @param goOn - asked after each piece, when other work may have had its turn
 * @returns nothing when `goOn` said no
 */
export async function prefillLongPrompt(
  model: DecodeModel,
  layout: KeyValueLayout,
  prompt: Prompt,
  piece: number,
  goOn: () => Promise<boolean>,
): Promise<PrefilledPrompt | undefined> {
  const { length } = prompt.tokens;
  const all = emptyKeyValues(layout, 1, length);
  let last: Prediction = { logits: new Float32Array(0), normaliser: Number.NaN };
  for (let start = 0; start < length; start += piece) {
    const tokens = prompt.tokens.subarray(start, start + piece);
    const time = tokens.length;
    const first = prompt.onPrediction ? 0 : time - 1;
    const run = await model.run({
      tokens,
      rows: 1,
      time,
      past: { keyValues: all, lengths: [start] },
      selected: Int32Array.from(range(first, time)),
    });
    copyKeyValues(layout, { of: run.keyValues, row: 0, start: 0 }, { of: all, row: 0, start }, time);
    for (let i = first; i < time; i += 1) {
      last = run.prediction(i - first);
      prompt.onPrediction?.(start + i, last);
    }
    if (!(await goOn())) return undefined;
  }
  return { keyValues: all, row: 0, length, prediction: last };
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
