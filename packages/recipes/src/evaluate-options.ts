import {
  type Clock,
  checkClock,
  checkKnownNames,
  checkLogger,
  checkNumberList,
  checkObject,
  checkString,
  describeValue,
  type Logger,
  ValidationError,
} from "@tinkex/base";
import type { ServiceClient } from "@tinkex/client";
import { checkDataset, type Dataset } from "./data/dataset.js";
import type { TrainingExample } from "./data/training-example.js";
import { checkAsking, type Episode, type Judge, type Prompt } from "./rollout/episode.js";
import { checkRolloutOptions, ROLLOUT_OPTIONS, type RolloutOptions } from "./rollout/rollout-options.js";
import { checkFileSampler, checkSampler, type SamplerChoice } from "./run/open-sampler.js";
import { checkCount, checkSignal } from "./run/recipe-options.js";
import { checkWeightOptions, type WeightOptions } from "./sft-options.js";

/** One model to measure. */
export interface OneSampler {
  /** A sampling client, the path of sampler weights (`tinker://…`), or the name of a base model. */
  readonly sampler: SamplerChoice;
  readonly samplers?: undefined;
}

/** Several models to measure side by side. */
export interface SeveralSamplers {
  /** By the names that their metrics begin with. */
  readonly samplers: Readonly<Record<string, SamplerChoice>>;
  readonly sampler?: undefined;
}

/** Problems with one answer each, which is scored. */
export interface ScoredProblems<Problem> {
  readonly problems: Dataset<Problem>;
  readonly prompt: (problem: Problem) => Prompt;
  /** The worth of an answer: a finite number, above 0 where it counts as correct. */
  readonly score: Judge<Problem>;
  readonly episode?: undefined;
  readonly maxTokens: number;
}

/** Problems with several turns each. */
export interface PlayedProblems<Problem> {
  readonly problems: Dataset<Problem>;
  readonly episode: (problem: Problem) => Episode;
  readonly prompt?: undefined;
  readonly score?: undefined;
  readonly maxTokens: number;
}

/** No problems: the loss on `test` alone. */
export interface NoProblems {
  readonly test: Dataset<TrainingExample>;
  readonly problems?: undefined;
  readonly prompt?: undefined;
  readonly score?: undefined;
  readonly episode?: undefined;
  readonly maxTokens?: undefined;
}

/** Options of evaluation that are the same whatever is measured. */
export interface EvaluateBaseOptions extends Omit<RolloutOptions, "maxTokens">, WeightOptions {
  /** Needed where a sampler is given by its path or name. */
  readonly service?: ServiceClient | undefined;
  /** Examples whose loss is measured, as `<name>/nll` and `<name>/bpb`. */
  readonly test?: Dataset<TrainingExample> | undefined;
  /** Start of the names of metrics. @defaultValue "test" */
  readonly name?: string | undefined;
  /** Answers to each problem. @defaultValue 1 */
  readonly samples?: number | undefined;
  /** Gives `pass@k` for these k, at most `samples` each. @defaultValue none */
  readonly passAt?: readonly number[] | undefined;
  /** Problems and examples under way at one time. @defaultValue 64 */
  readonly concurrency?: number | undefined;
  /** Decides the samples. @defaultValue 0 */
  readonly seed?: number | undefined;
  /** JSON lines with the answers to each problem. What is in it already is not asked again. Needs samplers by their paths or names. @defaultValue nothing is written */
  readonly file?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Options of evaluation on problems, with examples beside them or without: one sampler or several. */
export type EvaluateProblemsOptions<Problem> = EvaluateBaseOptions &
  (OneSampler | SeveralSamplers) &
  (ScoredProblems<Problem> | PlayedProblems<Problem>);

/** Options of evaluation on examples alone. */
export type EvaluateExamplesOptions = EvaluateBaseOptions & (OneSampler | SeveralSamplers) & NoProblems;

/** Options of evaluation. */
export type EvaluateOptions<Problem> = EvaluateProblemsOptions<Problem> | EvaluateExamplesOptions;

type Name = keyof EvaluateBaseOptions | keyof OneSampler | keyof ScoredProblems<unknown>;

const OPTIONS: Readonly<Record<Name, true>> = {
  ...ROLLOUT_OPTIONS,
  sampler: true,
  samplers: true,
  service: true,
  problems: true,
  prompt: true,
  score: true,
  episode: true,
  test: true,
  trainOn: true,
  reduction: true,
  name: true,
  samples: true,
  passAt: true,
  concurrency: true,
  seed: true,
  file: true,
  signal: true,
  logger: true,
  clock: true,
};

/** Samplers by their names; one alone has none. */
export function namedSamplers({
  sampler,
  samplers,
}: OneSampler | SeveralSamplers): (readonly [name: string, choice: SamplerChoice])[] {
  return samplers === undefined ? [["", sampler]] : Object.entries(samplers);
}

/** @throws ValidationError for options that cannot be measured with */
export function checkEvaluateOptions<Problem>(options: EvaluateOptions<Problem>): void {
  checkKnownNames<object>(options, OPTIONS, "the options of evaluate");
  checkSamplers(options);
  checkProblems(options);
  if (options.test !== undefined) checkDataset(options.test, "evaluate: test");
  if (options.name !== undefined) checkString(options.name, "evaluate: name", "test");
  if (options.name === "") throw new ValidationError('evaluate: name must be a text, e.g. "test", got ""');
  if (options.file !== undefined) checkString(options.file, "evaluate: file", "runs/answers.jsonl");
  checkCount(options.samples, "evaluate: samples", 1);
  checkCount(options.concurrency, "evaluate: concurrency", 1);
  checkCount(options.seed, "evaluate: seed", 0);
  checkClock(options.clock, "evaluate: clock");
  checkLogger(options.logger, "evaluate: logger");
  checkSignal(options.signal, "evaluate: signal");
  checkWeightOptions(options, "evaluate");
  const { passAt = [], samples = 1 } = options;
  checkNumberList(passAt, "evaluate: passAt");
  for (const k of Array.from(passAt)) {
    if (Number.isSafeInteger(k) && Number(k) >= 1 && Number(k) <= samples) continue;
    throw new ValidationError(
      `evaluate: passAt must hold whole numbers from 1 to samples, ${samples}, got ${describeValue(k)}`,
    );
  }
}

function checkSamplers<Problem>(options: EvaluateOptions<Problem>): void {
  if ((options.sampler === undefined) === (options.samplers === undefined)) {
    throw new ValidationError("evaluate: give sampler, or samplers, and not both");
  }
  if (options.samplers !== undefined)
    checkObject(options.samplers, "evaluate: samplers", "{ before, after }");
  const named = namedSamplers(options);
  if (named.length === 0) throw new ValidationError("evaluate: samplers must name at least one, got none");
  if (options.samplers !== undefined && Object.hasOwn(options.samplers, "")) {
    throw new ValidationError("evaluate: samplers must have names, got one without");
  }
  for (const [name, choice] of named) {
    const place = name === "" ? "evaluate: sampler" : `evaluate: samplers.${name}`;
    checkSampler(choice, options.service, place);
    if (options.file !== undefined) checkFileSampler(choice, place);
  }
}

function checkProblems<Problem>(options: EvaluateOptions<Problem>): void {
  if (options.problems === undefined) {
    if (options.test === undefined) throw new ValidationError("evaluate: give problems, or test, or both");
    checkRolloutOptions({ ...options, maxTokens: 1 }, "evaluate");
    return;
  }
  checkDataset(options.problems, "evaluate: problems");
  checkAsking({ ...options }, "evaluate", "score");
  checkRolloutOptions(options, "evaluate");
}
