import type { AdapterShape } from "../engine/engine.js";
import { type OperationFailure, userFailure } from "../errors/operation-failure.js";
import type { CreateModelBody } from "./model-bodies.js";

/** Far above what helps, and low enough that a slip does not fill the memory. */
const MAX_RANK = 1024;

/**
 * The adapter that `create_model` asks for.
 *
 * @throws OperationFailure `user` when there is no LoRA configuration, or it asks for an impossible adapter
 */
export function toAdapterShape(config: CreateModelBody["lora_config"]): AdapterShape {
  if (config === undefined) {
    throw userFailure(
      "lora_config is missing; this server trains LoRA adapters only: give at least its rank",
    );
  }
  if (!Number.isInteger(config.rank) || config.rank < 1 || config.rank > MAX_RANK) {
    throw userFailure(`lora_config.rank must be a whole number from 1 to ${MAX_RANK}, got ${config.rank}`);
  }
  const { train_attn: trainAttention, train_mlp: trainMlp, train_unembed: trainUnembedding } = config;
  if (!trainAttention && !trainMlp && !trainUnembedding) {
    throw userFailure(
      "lora_config trains nothing: at least one of train_attn, train_mlp and train_unembed must be true",
    );
  }
  return { rank: config.rank, trainAttention, trainMlp, trainUnembedding };
}

/**
 * Refuses the optimizers this server does not have.
 *
 * @throws OperationFailure `user` for anything but AdamW
 */
export function requireAdam(config: { readonly type: string } | undefined): void {
  if (config !== undefined && config.type !== "adamw") {
    throw otherOptimizer(
      "optimizer_config.type",
      config.type,
      "leave optimizer_config out, or use a hosted service",
    );
  }
}

/** Refuses another optimizer than AdamW, and says why: no source tells what the service's own one computes. */
export function otherOptimizer(field: string, type: string, remedy: string): OperationFailure {
  const reason = type === "dimuon" ? ", whose formula the service has not published" : "";
  return userFailure(`${field} must be "adamw" on this server, got "${type}"${reason}; ${remedy}`);
}
