import type { LossName } from "../engine/engine.js";

/** Tensors of a datum that a loss may read, beside `target_tokens`, and the field of the engine's datum they go to. */
export const FLOAT_TENSORS = {
  weights: "weights",
  logprobs: "logprobs",
  advantages: "advantages",
  clip_low_threshold: "clipLowThreshold",
  clip_high_threshold: "clipHighThreshold",
} as const;

export type FloatTensorKey = keyof typeof FLOAT_TENSORS;

export interface LossRule {
  /** Tensors without which the loss has no meaning, beside `target_tokens`. */
  readonly required: readonly FloatTensorKey[];
  readonly optional: readonly FloatTensorKey[];
  /** Whether `target_tokens` and `weights` may be `(N, K)`. */
  readonly takesMatrix: boolean;
  /** The keys of `loss_fn_config`, with their defaults. */
  readonly config: Readonly<Record<string, number>>;
}

const OFF_POLICY = { required: ["logprobs", "advantages"], takesMatrix: false } as const;

/**
 * What each loss reads. PPO's and CISPO's thresholds bound the ratio itself (not 1 ± ε), and their defaults are the
 * documented ones; the documentation names no default for DRO's `beta`, only the value of its example.
 */
export const LOSS_RULES: Readonly<Record<LossName, LossRule>> = {
  cross_entropy: { required: [], optional: ["weights"], takesMatrix: true, config: {} },
  importance_sampling: { ...OFF_POLICY, optional: ["weights"], config: {} },
  ppo: {
    ...OFF_POLICY,
    optional: ["weights", "clip_low_threshold", "clip_high_threshold"],
    config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  },
  cispo: {
    ...OFF_POLICY,
    optional: ["weights", "clip_low_threshold", "clip_high_threshold"],
    config: { clip_low_threshold: 0, clip_high_threshold: 4 },
  },
  dro: { ...OFF_POLICY, optional: ["weights"], config: { beta: 0.05 } },
};

export function isLossName(name: string): name is LossName {
  return Object.hasOwn(LOSS_RULES, name);
}

/** `a, b and c` */
export function nameList(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return "none";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
