import { ClosedError, ValidationError } from "@tinkex/base";
import { type AdapterParameters, adaptedModules } from "../adapter/adapter-parameters.js";
import type { SampleOutcome, SampleTask } from "../engine/engine.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import type { Runtime } from "../runtime/runtime.js";
import { SessionCache } from "../runtime/session-cache.js";
import { decodeGraph } from "./decode-graph.js";
import { DecodeModel } from "./decode-model.js";
import { SampleRequest } from "./sample-request.js";
import { SamplingBatch, type SamplingLimits } from "./sampling-batch.js";

export interface SamplerOptions {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  readonly runtime: Runtime;
  /** Loads what turns ids into text; called when a request first names stop texts. */
  readonly loadDecoder: () => Promise<(ids: readonly number[]) => string>;
  readonly limits?: Partial<SamplingLimits>;
  /** Default: {@link DEFAULT_SAMPLING_MEMORY} */
  readonly memory?: SamplingMemory | undefined;
  /** Awaited between runs, each of which blocks the thread. */
  readonly betweenRuns: () => Promise<void>;
}

/** Memory of the samples of one model, in bytes. */
export interface SamplingMemory extends Pick<SamplingLimits, "maxCacheBytes"> {
  /** Most that the logits of the prompts of one run take: a run holds those of every token if a prompt's own log-probabilities are wanted. */
  readonly maxLogitBytes: number;
}

export const DEFAULT_SAMPLING_MEMORY: SamplingMemory = { maxCacheBytes: 2 ** 28, maxLogitBytes: 2 ** 28 };

function defaultLimits(
  { vocabularySize }: ModelConfig,
  { maxCacheBytes, maxLogitBytes }: SamplingMemory,
): SamplingLimits {
  const logitBytes = vocabularySize * Float32Array.BYTES_PER_ELEMENT;
  // The logits of a run, and their log-probabilities until they are summed up.
  const tokensOfLogits = Math.floor(maxLogitBytes / (2 * logitBytes));
  return {
    maxRows: 64,
    maxCacheBytes,
    maxPromptTokensPerRun: Math.min(1024, Math.max(64, tokensOfLogits)),
  };
}

/** Samples from one base model and its adapters, all requests that come in side by side. */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #limits: SamplingLimits;
  readonly #sessions: SessionCache;
  /** By the adapter their requests use, none for the base model. */
  readonly #batches = new Map<AdapterParameters | undefined, SamplingBatch>();
  #decoder: Promise<(ids: readonly number[]) => string> | undefined;
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SamplerOptions) {
    this.#options = options;
    const { config, memory = DEFAULT_SAMPLING_MEMORY, limits } = options;
    this.#limits = { ...defaultLimits(config, memory), ...limits };
    this.#sessions = new SessionCache(options.runtime);
  }

  /**
   * @param adapter - whose requests share batches as long as it is the same object; `undefined` for the base model. It must
   * not change while they are under way.
   * @throws ValidationError for a prompt that is empty, too long or has ids outside the vocabulary; AbortedError when
   * the signal fires; ClosedError
   */
  async sample(
    task: SampleTask,
    adapter: AdapterParameters | undefined,
    signal?: AbortSignal,
  ): Promise<SampleOutcome> {
    this.#checkPrompt(task.prompt);
    const decode = task.stopTexts.length > 0 ? await this.#decode() : noDecoder;
    if (this.#isClosed) throw new ClosedError("the engine is closed; start the server again");
    const request = new SampleRequest(task, { ...this.#options.config, decode }, signal);
    const batch = this.#batches.get(adapter) ?? this.#createBatch(adapter);
    this.#batches.set(adapter, batch);
    batch.add(request);
    this.#work ??= this.#advanceAll();
    return request.outcome;
  }

  /** Rejects what is under way with ClosedError and frees the compiled graphs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const batch of this.#batches.values())
      batch.fail(new ClosedError("the engine is closed; start the server again"));
    await this.#work;
    await this.#sessions.release();
  }

  /** Runs until no batch has work left, a step of each in turn. */
  async #advanceAll(): Promise<void> {
    while (this.#batches.size > 0) {
      for (const [adapter, batch] of this.#batches) {
        await batch.advance().catch((error: unknown) => batch.fail(error));
        if (batch.isIdle) this.#batches.delete(adapter);
        await this.#options.betweenRuns();
      }
    }
    this.#work = undefined;
  }

  #createBatch(adapter: AdapterParameters | undefined): SamplingBatch {
    const { config, weights, betweenRuns } = this.#options;
    const modules = adapter === undefined ? [] : adaptedModules(config, adapter.shape);
    const adapted = new Set(modules.map(({ module }) => module));
    const graph = this.#sessions.graph([...adapted].join(), () => decodeGraph(config, weights, adapted));
    const model = new DecodeModel(config, graph, adapter);
    return new SamplingBatch(model, config, this.#limits, betweenRuns);
  }

  #checkPrompt(prompt: Int32Array): void {
    const { contextLength, vocabularySize } = this.#options.config;
    if (prompt.length === 0) {
      throw new ValidationError("prompt must hold at least one token, got none", { path: ["prompt"] });
    }
    if (prompt.length > contextLength) {
      throw new ValidationError(
        `prompt must have at most ${contextLength} tokens, this model's context, got ${prompt.length}`,
        { path: ["prompt"] },
      );
    }
    const index = prompt.findIndex((id) => id < 0 || id >= vocabularySize);
    if (index !== -1) {
      throw new ValidationError(
        `prompt token ${index} must be an id from 0 to ${vocabularySize - 1}, got ${prompt[index]}`,
        { path: ["prompt", index] },
      );
    }
  }

  #decode(): Promise<(ids: readonly number[]) => string> {
    if (this.#decoder === undefined) {
      this.#decoder = this.#options.loadDecoder();
      // A cause that failed once may be mended; the next request tries again.
      this.#decoder.catch(() => {
        this.#decoder = undefined;
      });
    }
    return this.#decoder;
  }
}

function noDecoder(): never {
  throw new Error("only requests with stop strings decode");
}
