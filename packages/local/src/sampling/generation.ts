import type { TokenMatrix } from "../engine/engine.js";
import type { RandomStream } from "../random/random-stream.js";
import { type Prediction, requireNumbers } from "./logprobs.js";
import { topIds } from "./ranking.js";
import type { StopCondition } from "./stop-condition.js";
import { drawToken, type TokenFilter, tokenDistribution } from "./token-distribution.js";

/** A finished sample. */
export interface GeneratedSequence {
  readonly tokens: Int32Array;
  /** At temperature 1, before any filter. */
  readonly logprobs: Float32Array;
  readonly stopReason: "stop" | "length";
  readonly topk?: TokenMatrix;
}

export interface GenerationRules {
  readonly filter: TokenFilter;
  readonly stop: StopCondition;
  /** Most tokens to generate. */
  readonly maxTokens: number;
  /** Number of the likeliest tokens to list for each one. */
  readonly topK: number;
}

/** One sample while it is being generated. */
export class Generation {
  readonly #rules: GenerationRules;
  readonly #random: RandomStream;
  readonly #tokens: number[] = [];
  readonly #logprobs: number[] = [];
  /** The likeliest tokens for each one, and their log-probabilities, row by row. */
  readonly #topIds: number[] = [];
  readonly #topLogprobs: number[] = [];
  #stopReason: "stop" | "length" | undefined;

  constructor(rules: GenerationRules, random: RandomStream) {
    this.#rules = rules;
    this.#random = random;
    if (rules.maxTokens <= 0) this.#stopReason = "length";
  }

  get isFinished(): boolean {
    return this.#stopReason !== undefined;
  }

  /** The token whose successor is to be computed. */
  get lastToken(): number {
    return this.#tokens.at(-1) ?? 0;
  }

  /** Chooses the next token. @throws TinkexError when the logits are not numbers */
  accept(prediction: Prediction): void {
    requireNumbers(prediction);
    const { logits, normaliser } = prediction;
    const { filter, stop, maxTokens, topK } = this.#rules;
    const distribution = tokenDistribution(logits, filter);
    const token = drawToken(distribution, filter.temperature === 0 ? 0 : this.#random());
    this.#tokens.push(token);
    this.#logprobs.push((logits[token] ?? Number.NaN) - normaliser);
    for (const id of topK > 0 ? topIds(logits, topK) : []) {
      this.#topIds.push(id);
      this.#topLogprobs.push((logits[id] ?? Number.NaN) - normaliser);
    }
    if (stop.isMet(this.#tokens)) this.#stopReason = "stop";
    else if (this.#tokens.length >= maxTokens) this.#stopReason = "length";
  }

  result(): GeneratedSequence {
    if (this.#stopReason === undefined) throw new Error("the sample is not finished");
    return {
      tokens: Int32Array.from(this.#tokens),
      logprobs: Float32Array.from(this.#logprobs),
      stopReason: this.#stopReason,
      ...(this.#rules.topK > 0 && {
        topk: {
          k: this.#rules.topK,
          tokenIds: Int32Array.from(this.#topIds),
          logprobs: Float32Array.from(this.#topLogprobs),
        },
      }),
    };
  }
}
