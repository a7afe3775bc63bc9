import { ClosedError, checkKnownNames, checkObject } from "@tinkex/base";
import type { TextTokenizer } from "@tinkex/tokenizer";
import { checkSent, LoraConfig, loraConfigSchema, type SampleResponse } from "@tinkex/types";
import { createAdaptersEngine } from "../compute/adapters-engine.js";
import type { EngineModel } from "../engine/engine.js";
import { type ModelFiles, modelInMemory } from "../model/model-in-memory.js";
import { toAdapterShape } from "../requests/adapter-shape.js";
import { toEngineSeed } from "../requests/engine-seed.js";
import {
  type BrowserRuntimeName,
  type BrowserRuntimeOptions,
  createBrowserRuntime,
} from "../runtime/browser-runtime.js";
import { asValidation } from "./as-validation.js";
import {
  type EmbeddedSampleOptions,
  type EmbeddedSampleRequest,
  embeddedSampling,
} from "./embedded-sample.js";
import { type LoraRun, loraRun } from "./lora-run.js";

export interface OpenModelOptions extends BrowserRuntimeOptions {
  /** Random numbers from 0 to 1, for seeds that a call does not name. @defaultValue `Math.random` */
  readonly random?: (() => number) | undefined;
}

const OPTIONS: Readonly<Record<keyof OpenModelOptions, true>> = {
  runtime: true,
  threads: true,
  runtimeFolder: true,
  random: true,
};

/** A base model in the memory of this program. Its arithmetic blocks the thread: run it in a worker of the page. */
export interface OpenedModel extends AsyncDisposable {
  readonly tokenizer: TextTokenizer;
  /** Longest sequence, prompt and answer together, in tokens. */
  readonly contextLength: number;
  /** Runtime that computes, with its number of threads, and why it is this one. */
  readonly runtime: {
    readonly name: BrowserRuntimeName;
    readonly threads: number;
    readonly reason: string;
  };
  /**
   * Makes a LoRA adapter, which leaves the model as it is at first, and its optimizer. Equal seeds give equal weights.
   *
   * @param lora_config - @defaultValue that of the API: rank 32, all parts trained
   * @throws ValidationError naming the field that is out of range; ClosedError
   */
  createLora(lora_config?: Partial<LoraConfig>): Promise<LoraRun>;
  /** Samples from the base model. @throws ValidationError naming the field that is out of range; AbortedError; ClosedError */
  sample(request: EmbeddedSampleRequest, options?: EmbeddedSampleOptions): Promise<SampleResponse>;
  /** Ends what is under way with ClosedError, and frees the memory of the graphs. */
  close(): Promise<void>;
}

/** Name of the model where a request must have one. */
const NAME = "model";

/** Seeds that are drawn are whole numbers below this. */
const MAX_SEED = 2 ** 32;

/**
 * Opens a model of Llama, Qwen2 or Qwen3 architecture, to train and sample in this program, without a server: in a browser by WebGPU or
 * WebAssembly, in Node by WebAssembly.
 *
 * @throws ValidationError naming the file that is missing or wrong, or the option; TinkexError `missing_dependency` when WebGPU is
 * asked for and does not compute here
 */
export async function openModel(files: ModelFiles, options: OpenModelOptions = {}): Promise<OpenedModel> {
  checkObject(files, "files", '{ "config.json": bytes }');
  checkKnownNames(options, OPTIONS, "the options of openModel");
  const { config, weights, tokenizer } = modelInMemory(files);
  const runtime = await createBrowserRuntime(options);
  const engine = createAdaptersEngine({
    config,
    weights,
    runtime,
    loadDecoder: async () => (ids) => tokenizer.decode(ids),
  });
  const { random = Math.random } = options;
  const randomSeed = () => Math.floor(random() * MAX_SEED);
  const model: EngineModel = { name: NAME, directory: "", weights: "float32", ...config };
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new ClosedError("the model is closed; open it again");
  };
  const sampling = (adapterId?: string): OpenedModel["sample"] => {
    const sample = embeddedSampling(engine, model, randomSeed, adapterId);
    return async (request, options) => {
      requireOpen();
      return sample(request, options);
    };
  };
  const close = () => {
    isClosed = true;
    return engine.close();
  };
  let runs = 0;
  return {
    tokenizer,
    contextLength: config.contextLength,
    runtime: { name: runtime.name, threads: runtime.threads, reason: runtime.reason },
    async createLora(lora_config = {}) {
      requireOpen();
      checkObject(lora_config, "lora_config", "{ rank: 16 }");
      const { seed, ...parts } = checkSent(
        loraConfigSchema,
        { ...lora_config, rank: lora_config.rank ?? LoraConfig.defaults.rank },
        "LoraConfig",
      );
      const { train_attn, train_mlp, train_unembed } = LoraConfig.defaults;
      const shape = asValidation(() =>
        toAdapterShape({
          rank: parts.rank,
          train_attn: parts.train_attn ?? train_attn,
          train_mlp: parts.train_mlp ?? train_mlp,
          train_unembed: parts.train_unembed ?? train_unembed,
        }),
      );
      runs += 1;
      const adapterId = String(runs);
      await engine.createAdapter(adapterId, shape, seed === undefined ? randomSeed() : toEngineSeed(seed));
      return loraRun({ engine, model, adapterId, requireOpen, sample: sampling(adapterId) });
    },
    sample: sampling(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
