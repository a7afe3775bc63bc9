import {
  checkKnownNames,
  checkLogger,
  checkString,
  describeValue,
  type Logger,
  ValidationError,
} from "@tinkex/base";
import type { ServiceClient } from "@tinkex/client";
import { checkDataset, type Dataset } from "./data/dataset.js";
import type { Prompt } from "./rollout/episode.js";
import { checkRolloutOptions, type RolloutOptions } from "./rollout/rollout-options.js";
import { checkFileSampler, checkSampler, type SamplerChoice } from "./run/open-sampler.js";
import { checkCount, checkSignal } from "./run/recipe-options.js";

/** Options of having many prompts answered. */
export interface GenerateOptions
  extends Pick<RolloutOptions, "maxTokens" | "temperature" | "stop" | "renderer"> {
  /** A sampling client, the path of sampler weights (`tinker://…`), or the name of a base model. */
  readonly sampler: SamplerChoice;
  /** Needed where the sampler is given by its path or name. */
  readonly service?: ServiceClient | undefined;
  /** Strings to continue, or messages to answer. They are taken from their source as there is room. */
  readonly prompts: Dataset<Prompt>;
  /** Answers to each prompt. @defaultValue 1 */
  readonly samples?: number | undefined;
  /** Most prompts under way, or answered and not taken yet. @defaultValue 100 */
  readonly concurrency?: number | undefined;
  /** `completion` gives answers as they come, `call` in the order of the prompts. @defaultValue "completion" */
  readonly order?: "completion" | "call" | undefined;
  /** Further attempts of a prompt whose error says that it may succeed later. @defaultValue 0, beside those that every sample has */
  readonly retries?: number | undefined;
  /** Prompts that may fail, and are given with their error. One more ends the run. @defaultValue 0 */
  readonly maxFailures?: number | undefined;
  /** Decides the samples. @defaultValue 0 */
  readonly seed?: number | undefined;
  /** JSON lines with the answers. What is in it already is not asked again. Needs the sampler by its path or name. @defaultValue nothing is written */
  readonly file?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
}

const OPTIONS: Readonly<Record<keyof GenerateOptions, true>> = {
  sampler: true,
  service: true,
  prompts: true,
  maxTokens: true,
  temperature: true,
  stop: true,
  renderer: true,
  samples: true,
  concurrency: true,
  order: true,
  retries: true,
  maxFailures: true,
  seed: true,
  file: true,
  signal: true,
  logger: true,
};

/** @throws ValidationError for options that nothing can be sampled with */
export function checkGenerateOptions(options: GenerateOptions): void {
  checkKnownNames(options, OPTIONS, "the options of generate");
  checkSampler(options.sampler, options.service, "generate: sampler");
  checkDataset(options.prompts, "generate: prompts");
  checkRolloutOptions(options, "generate");
  for (const [name, min] of [
    ["samples", 1],
    ["concurrency", 1],
    ["retries", 0],
    ["seed", 0],
  ] as const) {
    checkCount(options[name], `generate: ${name}`, min);
  }
  const { order = "call", maxFailures = 0 } = options;
  if (order !== "call" && order !== "completion") {
    throw new ValidationError(`generate: order must be "completion" or "call", got ${describeValue(order)}`);
  }
  if (maxFailures !== Number.POSITIVE_INFINITY) checkCount(maxFailures, "generate: maxFailures", 0);
  if (options.file !== undefined) {
    checkString(options.file, "generate: file", "runs/answers.jsonl");
    checkFileSampler(options.sampler, "generate: sampler");
  }
  checkLogger(options.logger, "generate: logger");
  checkSignal(options.signal, "generate: signal");
}
