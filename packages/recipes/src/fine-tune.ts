import { checkKnownNames, checkString, describeValue, ValidationError } from "@tinkex/base";
import { ServiceClient } from "@tinkex/client";
import { checkDataset, type Dataset, readDataset } from "./data/dataset.js";
import { readChatFiles } from "./data/read-chat-files.js";
import type { TrainingExample } from "./data/training-example.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { RecipeRun } from "./run/recipe-run.js";
import type { TrainingResult } from "./run/training-result.js";
import { type SftStart, startSft } from "./sft.js";
import { checkSftOptions, SFT_OPTIONS, type SftOptions } from "./sft-options.js";

/** Examples of a step where none are given and there are enough of them. */
const BATCH_SIZE = 32;

/** Options of a fine-tuning job: those of `sft`, with files in place of data. */
export interface FineTuneOptions extends Omit<SftOptions, "service" | "train" | "test"> {
  /** @defaultValue a client of what the environment names, which is closed with the result */
  readonly service?: ServiceClient | undefined;
  /** Path of a file of JSON lines, as OpenAI's fine-tuning takes them; or examples, as `sft` takes them. */
  readonly train: string | Dataset<TrainingExample>;
  /** Held-out examples, in the same way. */
  readonly test?: string | Dataset<TrainingExample> | undefined;
  /** Examples of a step. @defaultValue 32, or all where there are fewer */
  readonly batchSize?: number | undefined;
}

/** The end of a job. `await using` closes the service at the end of its block, where the job has made it. */
export interface FineTuneResult extends TrainingResult, AsyncDisposable {
  readonly service: ServiceClient;
}

/**
 * Fine-tunes a model on a file of chats: the recipe `sft` for those who know fine-tuning as a job. It has started when it returns; await it for the
 * checkpoint and a sampling client, iterate it for its events. All bad lines of all files are reported at once, by their numbers, before
 * anything is sent.
 *
 * @throws ValidationError at the call, for options that cannot be trained with; later ones reach whoever awaits or iterates
 *
 * @example
 * await using job = await fineTune({ model: "Qwen/Qwen3-8B", train: "chats.jsonl", epochs: 3, runDirectory: "runs/support-bot" });
 * console.log(job.checkpoint.samplerPath);
 */
export function fineTune(options: FineTuneOptions): RecipeRun<FineTuneResult, RecipeEvent> {
  checkKnownNames(options, SFT_OPTIONS, "the options of fineTune");
  for (const name of ["train", "test"] as const) checkSource(options[name], name);
  const isOwn = options.service === undefined;
  const service = options.service ?? new ServiceClient();
  const close = async (): Promise<void> => {
    if (isOwn) await service.close();
  };
  try {
    checkSftOptions({ ...options, service, train: [], test: [] }, "fineTune");
  } catch (error) {
    void close();
    throw error;
  }
  return new RecipeRun({ method: "fineTune", signal: options.signal }, async (tell) => {
    try {
      const sources = await readSources(options);
      const { examples: train } = sources.train;
      const { examples: test } = sources.test;
      const batchSize = options.batchSize ?? Math.max(1, Math.min(BATCH_SIZE, train.length));
      const start: SftStart = {
        method: "fineTune",
        // Examples without a token to train on are left out later.
        hasFittingBatch: options.batchSize === undefined,
        placeOf: (name, index) => sources[name].placeOf(index),
      };
      const run = startSft({ ...options, service, train, test, batchSize }, start);
      for await (const event of run) tell(event);
      return { ...(await run), service, [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw error;
    }
  });
}

function checkSource(source: FineTuneOptions["test"], name: "train" | "test"): void {
  if (Array.isArray(source) && typeof source[0] === "string") {
    throw new ValidationError(
      `fineTune: ${name} must be the path of one file, or examples, got an array of strings; join the files into one`,
    );
  }
  if (typeof source === "string") checkString(source, `fineTune: ${name}`, "chats.jsonl");
  else if (name === "train" || source !== undefined) checkDataset(source, `fineTune: ${name}`);
  if (source === "") {
    throw new ValidationError(`fineTune: ${name} must be the path of a file, got ${describeValue(source)}`);
  }
}

/** Examples, and their names in messages. */
interface Source {
  readonly examples: readonly TrainingExample[];
  readonly placeOf: (index: number) => string;
}

/** Reads all examples. The files first, so that what is wrong in any of them is said at once. */
async function readSources({
  train,
  test = [],
  signal,
}: FineTuneOptions): Promise<Record<"train" | "test", Source>> {
  const chats = await readChatFiles([train, test].filter((source) => typeof source === "string"));
  const sourceOf = async (
    source: string | Dataset<TrainingExample>,
    name: "train" | "test",
  ): Promise<Source> => {
    if (typeof source !== "string") {
      const examples = await readDataset(source, `fineTune: ${name}`, signal);
      return { examples, placeOf: (index) => `fineTune: ${name}[${index}]` };
    }
    const lines = chats.get(source) ?? [];
    return {
      examples: lines.map(({ chat }) => chat),
      placeOf: (index) => `fineTune: ${source}, line ${lines[index]?.line}`,
    };
  };
  return { train: await sourceOf(train, "train"), test: await sourceOf(test, "test") };
}
