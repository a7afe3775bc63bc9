import { describeValue, ValidationError } from "@tinkex/base";
import type { MemoryLimit } from "../engine/engine-options.js";
import { weightBytes } from "../model/check-model-size.js";
import type { ModelConfig } from "../model/model-config.js";
import { linearMatrices } from "../model/weight-shapes.js";
import { BITS_OF_FORMAT, BLOCK_SIZE, type WeightFormat } from "../quantization/weight-format.js";
import { bytesPerToken } from "../sampling/key-values.js";
import { DEFAULT_SAMPLING_MEMORY, type SamplingMemory } from "../sampling/sampler.js";
import { isSmallModel } from "../training/is-small-model.js";
import {
  BLOCK_LENGTH,
  blockedRowBytes,
  DEFAULT_ROW_BYTES,
  DEFAULT_RUN_BYTES,
  MIN_TOKENS_PER_RUN,
  trainingBytesPerToken,
} from "../training/tokens-per-run.js";

const MEBIBYTE = 2 ** 20;

/** Memory of a server beside its models: Node, the runtime, compiled graphs, requests while they are read. */
const SERVER_BYTES = 256 * MEBIBYTE;

/** Parts of the memory that weights and server leave. Adapters, their gradients and moments have the rest. */
const SHARES = { training: 0.5, keyValues: 0.3, prompts: 0.1 } as const;

/** Keys and values that exist while they are moved to a larger place, and prompts that were read, for each byte of those in use. */
const KEY_VALUE_COPIES = 2;

/** Limits by which an engine stays within its memory. */
export interface MemoryPlan {
  /** Longest sequence that fits, in tokens. */
  readonly contextLength: number;
  /** Bytes of the intermediate results of one training run. */
  readonly runBytes: number;
  /** Bytes up to which one row is computed at once, and not by blocks. */
  readonly rowBytes: number;
  readonly sampling: SamplingMemory;
}

/**
 * Divides the memory that the engine of a model may take: its part of what a server leaves. Without a limit the sizes are those that are
 * fastest, and rows may be as long as the model's context, whatever they take.
 *
 * @throws ValidationError when it is too little to train on rows of 64 tokens
 */
export function planMemory(
  config: ModelConfig,
  { name, weights }: PlannedModel["model"],
  limit: MemoryLimit | undefined,
): MemoryPlan {
  const { contextLength } = config;
  if (limit === undefined) {
    return {
      contextLength,
      runBytes: DEFAULT_RUN_BYTES,
      rowBytes: DEFAULT_ROW_BYTES,
      sampling: DEFAULT_SAMPLING_MEMORY,
    };
  }
  checkRoomForAll([{ config, model: { name, weights } }], limit);
  const { totalMb, modelCount } = limit;
  const freeBytes = (totalMb * MEBIBYTE - SERVER_BYTES) / modelCount - heldWeightBytes(config, weights);
  const runBytes = freeBytes * SHARES.training;
  const cacheBytes = freeBytes * SHARES.keyValues;
  return {
    contextLength: Math.min(
      contextLength,
      Math.max(longestRowAtOnce(config, runBytes), longestRowInBlocks(config, runBytes)),
      Math.floor(cacheBytes / keyValueBytes(config)),
    ),
    // More than is fastest would gain nothing.
    runBytes: Math.min(runBytes, DEFAULT_RUN_BYTES),
    rowBytes: Math.min(runBytes, DEFAULT_ROW_BYTES),
    sampling: {
      maxCacheBytes: Math.min(cacheBytes / KEY_VALUE_COPIES, DEFAULT_SAMPLING_MEMORY.maxCacheBytes),
      maxLogitBytes: Math.min(freeBytes * SHARES.prompts, DEFAULT_SAMPLING_MEMORY.maxLogitBytes),
    },
  };
}

/** A model that memory is to be found for. */
export interface PlannedModel {
  readonly config: ModelConfig;
  readonly model: { readonly name: string; readonly weights?: WeightFormat | undefined };
}

/**
 * Checks that each of some models could train on rows of 64 tokens within a limit.
 *
 * @throws ValidationError naming the model that needs the most, so that a limit as large as it says is enough for all
 */
export function checkRoomForAll(models: readonly PlannedModel[], { totalMb, modelCount }: MemoryLimit): void {
  let least = { mb: 0, name: "" };
  for (const { config, model } of models) {
    const ownBytes = heldWeightBytes(config, model.weights) + leastFreeBytes(config);
    const mb = Math.ceil((SERVER_BYTES + ownBytes * modelCount) / MEBIBYTE);
    if (mb > least.mb) least = { mb, name: model.name };
  }
  if (totalMb >= least.mb) return;
  const sharers = modelCount === 1 ? least.name : `${least.name} to have one of ${modelCount} equal parts`;
  throw new ValidationError(
    `memoryLimitMb must be at least ${least.mb} for ${sharers}, got ${totalMb}; give it more, or serve a smaller model`,
    { path: ["memoryLimitMb"] },
  );
}

/** Memory beside its weights by which a model trains on its shortest rows, samples as much, and holds the logits of such a prompt. */
function leastFreeBytes(config: ModelConfig): number {
  const shortest = Math.min(MIN_TOKENS_PER_RUN, config.contextLength);
  return Math.max(
    (shortest * trainingBytesPerToken(config, shortest)) / SHARES.training,
    (shortest * keyValueBytes(config)) / SHARES.keyValues,
    (MIN_TOKENS_PER_RUN * config.vocabularySize * Float32Array.BYTES_PER_ELEMENT) / SHARES.prompts,
  );
}

function keyValueBytes(config: ModelConfig): number {
  return KEY_VALUE_COPIES * bytesPerToken(config);
}

/**
 * Weights as the system maps them, and the copies of the matrices that are made of them: a packed one for sampling, and one with the
 * adapter in it while a small model trains.
 */
function heldWeightBytes(config: ModelConfig, format: WeightFormat = "float32"): number {
  const bits = BITS_OF_FORMAT[format];
  let plain = weightBytes(config);
  let matrices = 0;
  for (const { shape, name, tensor } of linearMatrices(config)) {
    const numbers = shape[0] * shape[1];
    if (name === tensor) plain -= numbers * Float32Array.BYTES_PER_ELEMENT;
    // A scale, in float32, for each block.
    matrices += numbers * (bits === undefined ? 4 : bits / 8 + 4 / BLOCK_SIZE);
  }
  return plain + (bits === undefined && isSmallModel(config) ? 3 : 2) * matrices;
}

/** Largest whole number of tokens whose square takes its part in the attention: the root of `square · T² + linear · T = runBytes`. */
function longestRowAtOnce(config: ModelConfig, runBytes: number): number {
  const linear = trainingBytesPerToken(config, 0);
  const square = trainingBytesPerToken(config, 1) - linear;
  return Math.floor((Math.sqrt(linear ** 2 + 4 * square * runBytes) - linear) / (2 * square));
}

/** Largest number of whole blocks whose row takes no more: its bytes grow evenly with its tokens. */
function longestRowInBlocks(config: ModelConfig, runBytes: number): number {
  const fixed = blockedRowBytes(config, 0);
  const perToken = blockedRowBytes(config, 1) - fixed;
  return Math.max(0, Math.floor((runBytes - fixed) / (perToken * BLOCK_LENGTH)) * BLOCK_LENGTH);
}

/** @throws ValidationError unless it is a positive number, or left out */
export function checkMemoryLimit(limitMb: unknown): void {
  if (limitMb === undefined || (typeof limitMb === "number" && limitMb > 0 && Number.isFinite(limitMb)))
    return;
  throw new ValidationError(
    `memoryLimitMb must be a positive number of megabytes, got ${describeValue(limitMb)}; leave it out for no limit`,
    { path: ["memoryLimitMb"] },
  );
}
