import { silentLogger } from "@tinkex/base";
import type { SampleParams, SamplingClient } from "@tinkex/client";
import { hashOf } from "./data/dataset.js";
import { checkGenerateOptions, type GenerateOptions } from "./generate-options.js";
import { AnswerFile } from "./rollout/answer-file.js";
import { Conversation, type Turn } from "./rollout/conversation.js";
import type { Prompt, Reply } from "./rollout/episode.js";
import { errorAt } from "./rollout/error-at.js";
import { rolloutConfig } from "./rollout/rollout-options.js";
import { seedOf } from "./rollout/seeds.js";
import { type AnswerCounts, GenerateRun } from "./run/generate-run.js";
import { openSampler } from "./run/open-sampler.js";
import { samplingTools, type TrainingTools } from "./run/training-tools.js";

/** A prompt with its answers, or the error that it failed with. */
export interface GeneratedAnswer {
  /** Place among the prompts. */
  readonly index: number;
  readonly prompt: Prompt;
  /** `samples` of them; none where the prompt failed. */
  readonly replies: readonly Reply[];
  readonly error?: unknown;
}

/** A prompt that was asked. */
interface Asked {
  readonly index: number;
  readonly prompt: Prompt;
  readonly key: string;
  readonly conversation: Conversation;
}

/** Length from which a prompt is cut in messages. */
const MAX_SHOWN = 60;

const CONCURRENCY = 100;

/**
 * Has many prompts answered. It has started when it returns; iterate it for the answers, of which no more are made than are taken, or await
 * it for all of them.
 *
 * @throws ValidationError at the call, for options that nothing can be sampled with; the first failure beyond `maxFailures`, named with its
 *   prompt, reaches whoever awaits or iterates
 *
 * @example
 * for await (const { prompt, replies } of generate({ sampler, prompts, maxTokens: 64 })) console.log(prompt, replies[0]?.text);
 * const { answers } = await generate({ service, sampler: "Qwen/Qwen3-8B", prompts, maxTokens: 64, file: "answers.jsonl" });
 */
export function generate(options: GenerateOptions): GenerateRun<GeneratedAnswer> {
  checkGenerateOptions(options);
  return new GenerateRun(answersOf(options));
}

async function* answersOf(
  options: GenerateOptions,
): AsyncGenerator<GeneratedAnswer, AnswerCounts, undefined> {
  const { file, logger = silentLogger, signal } = options;
  const { sampler, close } = await openSampler(options.sampler, options.service, signal);
  let answers: AnswerFile<Reply> | undefined;
  try {
    const tools = await samplingTools(sampler, options.renderer, signal);
    if (file !== undefined) answers = await AnswerFile.open<Reply>(file, logger, "generate");
    return yield* new Generation(options, sampler, tools, answers).run();
  } finally {
    await answers?.close();
    await close();
  }
}

/** One run over many prompts. */
class Generation {
  readonly #options: GenerateOptions;
  readonly #sampler: SamplingClient;
  readonly #tools: TrainingTools;
  readonly #file: AnswerFile<Reply> | undefined;
  readonly #asked = new Map<number, Asked>();
  /** Answers that need no sample: those of the file, and prompts that cannot be shown. */
  #ready: GeneratedAnswer[] = [];
  #failed = 0;

  constructor(
    options: GenerateOptions,
    sampler: SamplingClient,
    tools: TrainingTools,
    file: AnswerFile<Reply> | undefined,
  ) {
    this.#options = options;
    this.#sampler = sampler;
    this.#tools = tools;
    this.#file = file;
  }

  async *run(): AsyncGenerator<GeneratedAnswer, AnswerCounts, undefined> {
    const { concurrency = CONCURRENCY, order = "completion", retries, signal } = this.#options;
    const samples = this.#sampler.sampleMany(this.#requests(), { concurrency, order, retries, signal });
    let given = 0;
    for await (const { index: place, response, error } of samples) {
      const asked = this.#asked.get(place);
      this.#asked.delete(place);
      if (asked === undefined) continue;
      const { index, prompt, key, conversation } = asked;
      const early = this.#takeReady(order === "call" ? index : Number.POSITIVE_INFINITY);
      given += early.length;
      yield* early;
      if (response === undefined) yield this.#failure(index, prompt, error);
      else {
        const replies = response.sequences.map((sequence) => conversation.read(sequence));
        await this.#file?.write(String(index), key, { prompt }, replies);
        yield { index, prompt, replies };
      }
      given += 1;
    }
    const late = this.#takeReady(Number.POSITIVE_INFINITY);
    given += late.length;
    yield* late;
    return { answered: given - this.#failed, failed: this.#failed };
  }

  /** Requests of the prompts that are to be sampled, taken from their source one by one. */
  async *#requests(): AsyncGenerator<SampleParams, void, undefined> {
    const {
      samples: num_samples = 1,
      maxTokens: max_tokens,
      temperature = 1,
      stop = [],
      seed = 0,
    } = this.#options;
    const { sampler, prompts } = this.#options;
    const model = typeof sampler === "string" ? sampler : null;
    const config = { model, seed, samples: num_samples, ...rolloutConfig(this.#options, "generate") };
    let index = -1;
    let sent = 0;
    for await (const prompt of prompts) {
      index += 1;
      const place = `generate: prompts[${index}]`;
      const key = this.#file === undefined ? "" : hashOf([prompt, config], () => place);
      const replies = this.#file?.find(String(index), key);
      if (replies !== undefined) {
        this.#ready.push({ index, prompt, replies });
        continue;
      }
      const conversation = new Conversation({ ...this.#tools, stop });
      const turn = this.#show(conversation, index, prompt);
      if (turn === undefined) continue;
      this.#asked.set(sent, { index, prompt, key, conversation });
      sent += 1;
      const sampling_params = {
        max_tokens,
        temperature,
        seed: seedOf(seed, 0, index),
        ...(turn.stop.length > 0 && { stop: turn.stop }),
      };
      yield { prompt: turn.prompt, num_samples, sampling_params };
    }
  }

  /** Shows a prompt. One that cannot be shown has failed. */
  #show(conversation: Conversation, index: number, prompt: Prompt): Turn | undefined {
    try {
      return conversation.show(prompt);
    } catch (error) {
      this.#ready.push(this.#failure(index, prompt, error));
      return undefined;
    }
  }

  /** Counts a failure. @throws the failure itself, where there are more than may be */
  #failure(index: number, prompt: Prompt, cause: unknown): GeneratedAnswer {
    const error = errorAt(`generate: prompt ${index} (${shown(prompt)})`, cause);
    this.#failed += 1;
    if (this.#failed > (this.#options.maxFailures ?? 0)) throw error;
    return { index, prompt, replies: [], error };
  }

  /** Takes the answers that are ready, of prompts before a place. */
  #takeReady(before: number): readonly GeneratedAnswer[] {
    const taken = this.#ready.filter(({ index }) => index < before);
    if (taken.length > 0) this.#ready = this.#ready.filter(({ index }) => index >= before);
    return taken;
  }
}

/** A prompt as messages show it: its beginning. */
function shown(prompt: Prompt): string {
  const text =
    JSON.stringify(typeof prompt === "string" ? prompt : (prompt?.at?.(-1)?.content ?? prompt)) ?? "";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
