import { AdamParams } from "@tinkex/types";
import type { AdamStep } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";

interface AdamRule {
  readonly accepts: (value: number) => boolean;
  readonly range: string;
}

const nonNegative: AdamRule = { accepts: (value) => value >= 0, range: "0 or more" };
const decay: AdamRule = { accepts: (value) => value >= 0 && value < 1, range: "at least 0 and below 1" };

/** Ranges of the parameters. A clip norm of 0 or less turns clipping off. */
const ADAM_RULES: Readonly<Record<keyof AdamParams, AdamRule>> = {
  learning_rate: nonNegative,
  beta1: decay,
  beta2: decay,
  eps: { accepts: (value) => value > 0, range: "above 0" },
  weight_decay: nonNegative,
  grad_clip_norm: { accepts: () => true, range: "a finite number" },
};

/**
 * Builds the step that a request asks for, with the API's defaults for absent fields: clients of the 0.4 generation send few.
 *
 * @throws OperationFailure `user` for a value out of range
 */
export function resolveAdamParams(params: AdamParams): AdamStep {
  const value = (field: keyof AdamParams): number => {
    const { accepts, range } = ADAM_RULES[field];
    const given = params[field] ?? AdamParams.defaults[field];
    if (!Number.isFinite(given) || !accepts(given)) {
      throw userFailure(`adam_params.${field} must be ${range}, got ${given}`);
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
