import type { AdamStep } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";

/** `adam_params` as received: every field may be absent. */
export interface ReceivedAdamParams {
  readonly learning_rate?: number | undefined;
  readonly beta1?: number | undefined;
  readonly beta2?: number | undefined;
  readonly eps?: number | undefined;
  readonly weight_decay?: number | undefined;
  readonly grad_clip_norm?: number | undefined;
}

type AdamField = keyof ReceivedAdamParams;

interface AdamRule {
  readonly fallback: number;
  readonly accepts: (value: number) => boolean;
  readonly range: string;
}

const nonNegative = { accepts: (value: number) => value >= 0, range: "0 or more" };
const decay = { accepts: (value: number) => value >= 0 && value < 1, range: "at least 0 and below 1" };

/** Defaults are those of the official SDK, whose 0.4 generation does not send them. A clip norm of 0 or less is off. */
const ADAM_RULES: Readonly<Record<AdamField, AdamRule>> = {
  learning_rate: { fallback: 1e-4, ...nonNegative },
  beta1: { fallback: 0.9, ...decay },
  beta2: { fallback: 0.95, ...decay },
  eps: { fallback: 1e-12, accepts: (value) => value > 0, range: "above 0" },
  weight_decay: { fallback: 0, ...nonNegative },
  grad_clip_norm: { fallback: 0, accepts: () => true, range: "a number" },
};

/**
 * The step that a request asks for.
 *
 * @throws OperationFailure `user` for a value out of range
 */
export function toAdamStep(params: ReceivedAdamParams): AdamStep {
  const value = (field: AdamField): number => {
    const rule = ADAM_RULES[field];
    const given = params[field] ?? rule.fallback;
    if (!Number.isFinite(given) || !rule.accepts(given)) {
      throw userFailure(`adam_params.${field} must be ${rule.range}, not ${given}.`);
    }
    return given;
  };
  return {
    learningRate: value("learning_rate"),
    beta1: value("beta1"),
    beta2: value("beta2"),
    epsilon: value("eps"),
    weightDecay: value("weight_decay"),
    gradientClipNorm: Math.max(0, value("grad_clip_norm")),
  };
}
