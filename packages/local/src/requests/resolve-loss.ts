import type { LossFnConfig } from "@tinkex/types";
import { userFailure } from "../errors/operation-failure.js";
import type { Loss } from "../losses/loss-definition.js";
import { isLossName, LOSSES, type LossName } from "../losses/loss-table.js";

/** A loss with its configuration, in which every key it reads has a value. */
export interface ResolvedLoss<Name extends string = string> {
  readonly loss: Loss<Name>;
  readonly config: Readonly<Record<string, number>>;
}

/**
 * Finds the loss a request names, and fills up its configuration.
 *
 * @throws OperationFailure `user` for an unknown loss, and for a configuration that {@link configureLoss} refuses
 */
export function resolveLoss(name: string, config: LossFnConfig | undefined): ResolvedLoss<LossName> {
  if (!isLossName(name)) {
    throw userFailure(
      `loss_fn must be one that this server computes (${nameList([...Object.keys(LOSSES), "custom"])}), got "${name}"`,
    );
  }
  return configureLoss<LossName>(LOSSES[name], config);
}

/**
 * Fills up the configuration of a loss with its defaults.
 *
 * @throws OperationFailure `user` for an unknown key, a value that is no finite number, or a pair the wrong way round
 */
export function configureLoss<Name extends string>(
  loss: Loss<Name>,
  config: LossFnConfig | undefined,
): ResolvedLoss<Name> {
  const resolved: Record<string, number> = { ...loss.config };
  for (const [key, value] of Object.entries(config ?? {})) {
    if (!Object.hasOwn(loss.config, key)) {
      throw userFailure(
        `loss_fn_config.${key} is unknown to ${loss.name}; its keys: ${nameList(Object.keys(loss.config))}`,
      );
    }
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw userFailure(
        `loss_fn_config.${key} must be a finite number, got ${typeof value === "string" ? JSON.stringify(value) : value}`,
      );
    }
    resolved[key] = value;
  }
  if (loss.ascending !== undefined) {
    const [lowKey, highKey] = loss.ascending;
    const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = [
      resolved[lowKey],
      resolved[highKey],
    ];
    if (low > high)
      throw userFailure(`loss_fn_config.${lowKey} must be at most ${highKey} ${high}, got ${low}`);
  }
  return { loss, config: resolved };
}

/** Joins names as in `a, b and c`. */
export function nameList(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return "none";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
