import { readFileSync } from "node:fs";
import { type AdapterParameters, createAdapterParameters } from "../adapter/adapter-parameters.js";
import type { AdapterTensors } from "../adapter/adapter-tensors.js";
import type { AdamStep, EngineDatum, LossName } from "../engine/engine.js";
import type { ModelConfig } from "../model/model-config.js";
import { type ModelWeights, openModelWeights } from "../model/model-weights.js";
import { readModelConfig } from "../model/read-model-config.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";

/** Recorded truth: models, adapters, losses and gradients computed in double precision by a reference in Python. */
const goldens = new URL("../../fixtures/numerics/", import.meta.url);

export const goldenPath = (path: string): string => new URL(path, goldens).pathname;

/** @typeParam T the shape of the recorded file, as its tests read it */
export function readGolden<T>(path: string): T {
  return JSON.parse(readFileSync(goldenPath(path), "utf8")) as T;
}

export function openGoldenModel(name: string): { config: ModelConfig; weights: ModelWeights } {
  const directory = goldenPath(`models/${name}`);
  const config = readModelConfig(directory);
  return { config, weights: openModelWeights(directory, config) };
}

/** A tensor as the wire carries it in JSON. */
interface GoldenTensor {
  readonly data: readonly number[];
  readonly shape: readonly number[];
}

export interface GoldenDatum {
  readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly loss_fn_inputs: Readonly<Record<string, GoldenTensor>>;
}

export interface GoldenAdam {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  readonly grad_clip_norm: number;
}

export interface GoldenPass {
  readonly data: string;
  readonly loss_sum: number;
  readonly logprobs: readonly (readonly number[])[];
  readonly gradients: string;
  readonly loss_fn_config?: Readonly<Record<string, number>>;
  readonly variant?: { readonly loss_fn_config: Readonly<Record<string, number>>; readonly loss_sum: number };
}

export interface GoldenCase {
  readonly model: string;
  readonly lora_config: {
    readonly rank: number;
    readonly train_attn: boolean;
    readonly train_mlp: boolean;
    readonly train_unembed: boolean;
  };
  readonly data: Readonly<Record<string, readonly GoldenDatum[]>>;
  readonly forward_backward: Readonly<Partial<Record<LossName, GoldenPass>>>;
  readonly training: {
    readonly loss_fn: LossName;
    readonly adam_params: GoldenAdam;
    readonly steps: readonly {
      readonly loss_before: number;
      readonly grad_norm: number;
      readonly loss_after: number;
      readonly parameters?: string;
    }[];
  };
}

/** What each loss reads when a request configures nothing. */
export const defaultLossConfigs: Readonly<Record<LossName, Readonly<Record<string, number>>>> = {
  cross_entropy: {},
  importance_sampling: {},
  ppo: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  cispo: { clip_low_threshold: 0, clip_high_threshold: 4 },
  dro: { beta: 0.05 },
};

export function goldenDatum({ model_input, loss_fn_inputs }: GoldenDatum): EngineDatum {
  const targets = loss_fn_inputs.target_tokens;
  if (targets === undefined) throw new Error("The golden datum has no target_tokens.");
  const floats = (key: string) => {
    const found = loss_fn_inputs[key];
    return found === undefined ? undefined : Float32Array.from(found.data);
  };
  const [weights, logprobs, advantages] = ["weights", "logprobs", "advantages"].map(floats);
  return {
    tokens: Int32Array.from(model_input.chunks.flatMap(({ tokens }) => tokens)),
    targets: Int32Array.from(targets.data),
    targetsPerToken: targets.shape[1] ?? 1,
    targetsAreMatrix: targets.shape.length === 2,
    ...(weights && { weights }),
    ...(logprobs && { logprobs }),
    ...(advantages && { advantages }),
  };
}

export const goldenAdamStep = (adam: GoldenAdam): AdamStep => ({
  learningRate: adam.learning_rate,
  beta1: adam.beta1,
  beta2: adam.beta2,
  epsilon: adam.eps,
  weightDecay: adam.weight_decay,
  gradientClipNorm: adam.grad_clip_norm,
});

/** Two arrays for every module of an adapter, from a file that names them as PEFT does. */
export function readGoldenTensors(path: string, parameters: AdapterParameters, prefix = ""): AdapterTensors {
  const file = SafetensorsFile.open(goldenPath(path));
  try {
    return parameters.pairs.map(({ module }) => ({
      a: file.read(`${prefix}base_model.model.${module}.lora_A.weight`).data,
      b: file.read(`${prefix}base_model.model.${module}.lora_B.weight`).data,
    }));
  } finally {
    file.close();
  }
}

export function readGoldenAdapter(
  directory: string,
  config: ModelConfig,
  lora: GoldenCase["lora_config"],
): AdapterParameters {
  const shape = {
    rank: lora.rank,
    trainAttention: lora.train_attn,
    trainMlp: lora.train_mlp,
    trainUnembedding: lora.train_unembed,
  };
  const parameters = createAdapterParameters(config, shape, 0);
  const tensors = readGoldenTensors(`${directory}/adapter_model.safetensors`, parameters);
  parameters.pairs.forEach((pair, index) => {
    pair.a.set(tensors[index]?.a ?? []);
    pair.b.set(tensors[index]?.b ?? []);
  });
  return parameters;
}

/** Largest absolute difference; NaN where the lengths differ, so that no bound accepts it. */
export function largestDifference(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (got.length !== expected.length) return Number.NaN;
  let largest = 0;
  for (let index = 0; index < got.length; index++) {
    const difference = Math.abs(Number(got[index]) - Number(expected[index]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

/** Largest difference of each array in units of its largest expected entry; the worst of all arrays. */
export function worstRelativeDifference(got: AdapterTensors, expected: AdapterTensors): number {
  if (got.length !== expected.length) return Number.NaN;
  const pairs = got.flatMap(({ a, b }, index) => [
    [a, expected[index]?.a ?? new Float32Array(0)] as const,
    [b, expected[index]?.b ?? new Float32Array(0)] as const,
  ]);
  const differences = pairs.map(([left, right]) => {
    const scale = right.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const difference = largestDifference(left, right);
    return scale === 0 ? difference : difference / scale;
  });
  return differences.some(Number.isNaN) ? Number.NaN : Math.max(...differences);
}
