import type { SampleOutcome } from "../engine/engine.js";
import { logSumExp } from "./logprobs.js";
import { topIds } from "./ranking.js";

/** Entry of the wire's matrices for no prediction, as in the first row. */
const noLogprob = -99999;

/** Collects what a prompt's own tokens were predicted with, from the logits at every position. */
export class PromptLogprobs {
  readonly #prompt: Int32Array;
  readonly #k: number;
  readonly #logprobs: Float32Array;
  readonly #topIds: Int32Array;
  readonly #topLogprobs: Float32Array;

  /** @param topK - how many of the likeliest tokens to list for each position; 0 = none */
  constructor(prompt: Int32Array, topK: number, vocabularySize: number) {
    this.#prompt = prompt;
    this.#k = Math.min(topK, vocabularySize);
    this.#logprobs = new Float32Array(prompt.length).fill(Number.NaN);
    this.#topIds = new Int32Array(prompt.length * this.#k);
    this.#topLogprobs = new Float32Array(prompt.length * this.#k).fill(noLogprob);
  }

  /** @param position - of the token the logits were computed at; they predict the one after it */
  add(position: number, logits: Float32Array): void {
    const next = position + 1;
    const token = this.#prompt[next];
    if (token === undefined) return;
    const normaliser = logSumExp(logits);
    this.#logprobs[next] = (logits[token] ?? Number.NaN) - normaliser;
    if (this.#k === 0) return;
    topIds(logits, this.#k).forEach((id, rank) => {
      this.#topIds[next * this.#k + rank] = id;
      this.#topLogprobs[next * this.#k + rank] = (logits[id] ?? Number.NaN) - normaliser;
    });
  }

  result(): Pick<SampleOutcome, "promptLogprobs" | "topkPromptLogprobs"> {
    return {
      promptLogprobs: this.#logprobs,
      ...(this.#k > 0 && {
        topkPromptLogprobs: { k: this.#k, tokenIds: this.#topIds, logprobs: this.#topLogprobs },
      }),
    };
  }
}
