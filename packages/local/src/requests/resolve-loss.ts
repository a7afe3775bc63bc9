import type { LossFnConfig } from "@tinkex/types";
import type { LossName } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import { isLossName, LOSS_RULES, type LossRule, nameList } from "./loss-rules.js";

export interface ResolvedLoss {
  readonly name: LossName;
  readonly rule: LossRule;
  /** Every key the loss reads. */
  readonly config: Readonly<Record<string, number>>;
}

/**
 * The loss a request names, with its configuration filled up.
 *
 * @throws OperationFailure `user` for an unknown loss or key, a value that is no finite number, or thresholds the wrong way round
 */
export function resolveLoss(name: string, config: LossFnConfig | undefined): ResolvedLoss {
  if (!isLossName(name)) {
    throw userFailure(
      `loss_fn "${name}" is not one this server computes: use ${nameList(Object.keys(LOSS_RULES))}.`,
    );
  }
  const rule = LOSS_RULES[name];
  const resolved: Record<string, number> = { ...rule.config };
  for (const [key, value] of Object.entries(config ?? {})) {
    if (!Object.hasOwn(rule.config, key)) {
      throw userFailure(
        `loss_fn_config.${key} is unknown to ${name}; its keys: ${nameList(Object.keys(rule.config))}.`,
      );
    }
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw userFailure(
        `loss_fn_config.${key} must be a finite number, not ${typeof value === "string" ? JSON.stringify(value) : value}.`,
      );
    }
    resolved[key] = value;
  }
  const { clip_low_threshold: low, clip_high_threshold: high } = resolved;
  if (low !== undefined && high !== undefined && low > high) {
    throw userFailure(`loss_fn_config.clip_low_threshold ${low} is above clip_high_threshold ${high}.`);
  }
  return { name, rule, config: resolved };
}
