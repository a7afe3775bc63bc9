import type { LossName } from "../losses/loss-table.js";
import type { WeightFormat } from "../quantization/weight-format.js";

/** Interface between the server and the arithmetic. One engine serves one base model and all its adapters. */
export interface Engine {
  readonly model: EngineModel;
  /** Runtime that does the arithmetic, and its number of threads, for the server's first line. */
  readonly runtime: {
    readonly name: "native" | "wasm";
    readonly threads: number;
    /** Why this runtime was chosen, in words for a log line. */
    readonly reason?: string;
  };

  /** Says why the engine cannot compute at present, and what is done about it; undefined while it can. */
  readonly fault: string | undefined;

  /** A new LoRA adapter: `B = 0`, `A` uniform in ±1/√d_in from `seed`. Equal seed and shape give equal numbers. */
  createAdapter(adapterId: string, shape: AdapterShape, seed: number): Promise<void>;
  /** Reads an adapter directory written by {@link saveAdapter}; `includesOptimizer` also restores the moments and step count. */
  loadAdapter(
    adapterId: string,
    directory: string,
    options: { readonly includesOptimizer: boolean },
  ): Promise<AdapterShape>;
  /**
   * Writes `adapter_config.json` and `adapter_model.safetensors` in PEFT layout, and `optimizer.safetensors` when asked
   * for, into `directory`, which must not exist. Resolves, with the number of bytes, once all is on the disk: the caller
   * renames what must appear as a whole, or replace something.
   */
  saveAdapter(
    adapterId: string,
    directory: string,
    options: { readonly includesOptimizer: boolean },
  ): Promise<number>;
  /** A fixed copy of an adapter's weights under a new id, to sample from while training goes on. */
  copyAdapter(adapterId: string, copyId: string): Promise<void>;
  releaseAdapter(adapterId: string): Promise<void>;

  /** Loss and gradient of `data`; the gradient is added to the adapter's accumulator unless `forwardOnly`. */
  pass(request: PassRequest): Promise<PassResult>;
  /** One AdamW step with the accumulated gradient, which is zeroed. */
  optimStep(adapterId: string, params: AdamStep): Promise<Readonly<Record<string, number>>>;
  /** Samples from an adapter, or from the base model when `adapterId` is absent. Concurrent requests share batches. */
  sample(request: SampleTask, signal?: AbortSignal): Promise<SampleOutcome>;

  /** Ends the worker thread; what is pending rejects with `ClosedError`. */
  close(): Promise<void>;
}

export interface EngineModel {
  /** The name clients ask for as `base_model`, e.g. `tinkex/pocket-1`. */
  readonly name: string;
  /** Directory of the Hugging Face files. */
  readonly directory: string;
  readonly architecture: string;
  readonly vocabularySize: number;
  /** Longest sequence, prompt and answer together, in tokens. */
  readonly contextLength: number;
  /** Ids that end a sequence when a sample request names no stop. */
  readonly endTokenIds: readonly number[];
  /** Form of the linear layers. */
  readonly weights: WeightFormat;
}

export interface AdapterShape {
  readonly rank: number;
  readonly trainAttention: boolean;
  readonly trainMlp: boolean;
  readonly trainUnembedding: boolean;
}

/** One training example with its tensors checked and cast. `N` is `tokens.length`. */
export interface EngineDatum {
  readonly tokens: Int32Array;
  /** `N` ids, or `N × targetsPerToken` of them, row-major. */
  readonly targets: Int32Array;
  /** K of an `(N, K)` cross entropy; 1 otherwise. */
  readonly targetsPerToken: number;
  /** True when the client gave `(N, K)` tensors, so that results come back in that shape even for K = 1. */
  readonly targetsAreMatrix: boolean;
  /** Tensors that the loss reads, by their keys in `loss_fn_inputs`, each as long as `targets`. */
  readonly lossInputs: Readonly<Record<string, Float32Array>>;
}

export interface PassRequest {
  readonly adapterId: string;
  readonly data: readonly EngineDatum[];
  readonly loss: LossName;
  /** Resolved configuration of the loss: every key it reads is there. */
  readonly lossConfig: Readonly<Record<string, number>>;
  readonly forwardOnly: boolean;
}

export interface PassResult {
  /** Per datum, `N` or `N × K` log-probabilities of the targets at temperature 1. */
  readonly logprobs: readonly Float32Array[];
  /** Loss of the whole request, summed over datums and tokens. */
  readonly lossSum: number;
  /** Milliseconds for which the pass waited until its graph was compiled; absent where it was there. */
  readonly compileMs?: number;
}

export interface AdamStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** 0 = no clipping. */
  readonly gradientClipNorm: number;
}

export interface SampleTask {
  readonly adapterId?: string;
  /** Client whose request it is: none waits for the samples of another one to end. Default: one client for all. */
  readonly sessionId?: string;
  readonly prompt: Int32Array;
  readonly sampleCount: number;
  /** Most tokens to generate; the engine also stops at the context length. */
  readonly maxTokens: number;
  /** Sample `i` draws from `seed + i`. */
  readonly seed: number;
  /** 0 = greedy. */
  readonly temperature: number;
  /** -1 or 0 = off. */
  readonly topK: number;
  /** 1 = off. */
  readonly topP: number;
  /** Ids that end a sample; the id itself is kept. */
  readonly stopTokenIds: readonly number[];
  /** Texts that end a sample once they occur in what was generated; the token that completes one is kept. */
  readonly stopTexts: readonly string[];
  readonly wantsPromptLogprobs: boolean;
  /** 0 = none. */
  readonly topkPromptLogprobs: number;
  /** Scores only so many of the last tokens of the prompt. Default: all but the first, which nothing predicts. */
  readonly promptLogprobsLast?: number;
  /** Number of the likeliest tokens to list for each generated token. Default 0. */
  readonly topkSampleLogprobs?: number;
  /** Tokens to score at the prompt's positions, from the second on. */
  readonly promptTargets?: PromptTargets;
  /** Number of tokens to draw at each position of the prompt, from the second on, with replacement. Default 0. */
  readonly promptAltTokens?: number;
}

export interface PromptTargets {
  readonly targetsPerToken: number;
  /** Row-major `(prompt length − 1) × targetsPerToken`; −1 where nothing is asked. */
  readonly ids: Int32Array;
}

/** Row-major matrices of k tokens a position, and their log-probabilities at temperature 1. */
export interface TokenMatrix {
  readonly k: number;
  readonly tokenIds: Int32Array;
  readonly logprobs: Float32Array;
}

export interface SampleOutcome {
  readonly sequences: readonly {
    readonly tokens: Int32Array;
    /** At temperature 1, before any filter. */
    readonly logprobs: Float32Array;
    readonly stopReason: "stop" | "length";
    /** The likeliest tokens for each one generated, best first. */
    readonly topk?: TokenMatrix;
  }[];
  /** One per prompt token, NaN where none was asked for, as for the first. */
  readonly promptLogprobs?: Float32Array;
  /** `prompt length × k`, best first; rows that were not asked for, as the first, are filled with 0 and −99999. */
  readonly topkPromptLogprobs?: TokenMatrix;
  /** In the order of {@link PromptTargets.ids}; 0 where nothing was asked. */
  readonly promptTargets?: Float32Array;
  /** `(prompt length − 1) × k` */
  readonly promptAltTokens?: TokenMatrix;
}
