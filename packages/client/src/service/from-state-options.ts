import { describeValue, ValidationError } from "@tinkex/base";
import type { LoadWeightsRequest } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { checkTrainingPath } from "../training/checkpoints/checkpoint-kinds.js";
import type { ModelSource } from "../training/checkpoints/load-model.js";

/** Options of making a training client from a checkpoint. */
export interface FromStateOptions
  extends CallOptions,
    Pick<LoadWeightsRequest, "base_model" | "user_metadata" | "optimizer_config" | "weights_access_token"> {}

/** The names of {@link FromStateOptions}. */
export const FROM_STATE_OPTIONS: Readonly<Record<keyof FromStateOptions, true>> = {
  ...CALL_OPTIONS,
  base_model: true,
  user_metadata: true,
  optimizer_config: true,
  weights_access_token: true,
};

/** Options of going on from a checkpoint after the service was away. */
export interface ResumeOptions extends Omit<FromStateOptions, "optimizer_config"> {
  /** Milliseconds for which it is tried while the service cannot be reached or has forgotten what it took. @defaultValue 900,000 */
  readonly patienceMs?: number | undefined;
}

const { optimizer_config: _, ...withoutOptimizer } = FROM_STATE_OPTIONS;

/** The names of {@link ResumeOptions}. */
export const RESUME_OPTIONS: Readonly<Record<keyof ResumeOptions, true>> = {
  ...withoutOptimizer,
  patienceMs: true,
};

const DEFAULT_PATIENCE_MS = 900_000;

/** @throws ValidationError for a patience that is no number of milliseconds */
export function checkPatience(patienceMs: number = DEFAULT_PATIENCE_MS): number {
  if (typeof patienceMs === "number" && patienceMs >= 0) return patienceMs;
  throw new ValidationError(
    `resumeFrom: patienceMs must be 0 or more milliseconds, got ${describeValue(patienceMs)}`,
    { path: ["patienceMs"] },
  );
}

/** Makes the source of a model that is loaded from a checkpoint. @throws ValidationError for a path that cannot be trained on */
export function modelSource(
  method: string,
  path: string,
  hasOptimizer: boolean,
  options: FromStateOptions,
): ModelSource {
  checkTrainingPath(method, path);
  const { base_model, user_metadata, optimizer_config, weights_access_token } = options;
  const given = { base_model, user_metadata, optimizer_config, weights_access_token };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...fields, path, optimizer: hasOptimizer };
}
