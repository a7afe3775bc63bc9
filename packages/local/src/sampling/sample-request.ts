import { AbortedError } from "@tinkex/base";
import type { SampleOutcome, SampleTask } from "../engine/engine.js";
import { randomStream } from "../random/random-stream.js";
import { Generation, type GenerationRules } from "./generation.js";
import type { Prediction } from "./logprobs.js";
import type { Prompt } from "./prefill.js";
import { PromptScores } from "./prompt-scores.js";
import { stopCondition } from "./stop-condition.js";

/** Facts about the model that a request needs. */
export interface RequestContext {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Text of ids, special tokens included; used only where there are stop texts. */
  readonly decode: (ids: readonly number[]) => string;
}

/** A request to sample, from its arrival until its promise settles. */
export class SampleRequest {
  readonly prompt: Prompt;
  readonly generations: readonly Generation[];
  /** Client whose request it is. */
  readonly sessionId: string | undefined;
  /** Most tokens a sample of this request can have, prompt included. */
  readonly longest: number;
  readonly outcome: Promise<SampleOutcome>;
  readonly #scores: PromptScores | undefined;
  #isSettled = false;
  #resolve: (outcome: SampleOutcome) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(task: SampleTask, context: RequestContext, signal: AbortSignal | undefined) {
    const room = context.contextLength - task.prompt.length;
    const rules: GenerationRules = {
      filter: task,
      stop: stopCondition(task.stopTokenIds, task.stopTexts, context.decode),
      maxTokens: Math.min(task.maxTokens, room),
      topK: Math.min(task.topkSampleLogprobs ?? 0, context.vocabularySize),
    };
    this.sessionId = task.sessionId;
    this.longest = task.prompt.length + rules.maxTokens;
    this.generations = Array.from(
      { length: task.sampleCount },
      (_, i) => new Generation(rules, randomStream(task.seed + i, "sample")),
    );
    const scores = PromptScores.for(task, context.vocabularySize);
    this.#scores = scores;
    this.prompt = {
      tokens: task.prompt,
      ...(scores === undefined
        ? { key: task.prompt.join() }
        : { onPrediction: (position, prediction) => this.#score(scores, position, prediction) }),
    };
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#followSignal(signal);
  }

  /** True once the promise is settled, so that nothing more need be computed for it. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Resolves the promise once every sample is finished. */
  settleIfFinished(): void {
    if (this.#isSettled || !this.generations.every(({ isFinished }) => isFinished)) return;
    this.#isSettled = true;
    this.#resolve({
      sequences: this.generations.map((generation) => generation.result()),
      ...this.#scores?.result(),
    });
  }

  fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(error);
  }

  /** The prompts of other requests are read in the same run, and are not to fail with this one. */
  #score(scores: PromptScores, position: number, prediction: Prediction): void {
    if (this.#isSettled) return;
    try {
      scores.add(position, prediction);
    } catch (error) {
      this.fail(error);
    }
  }

  #followSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = () => this.fail(new AbortedError("sampling was aborted", { cause: signal.reason }));
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    const release = () => signal.removeEventListener("abort", abort);
    this.outcome.then(release, release);
  }
}
