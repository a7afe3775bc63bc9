import { checkKnownNames, checkObject, ValidationError } from "@tinkex/base";
import { type CreateModelRequest, checkSent, LoraConfig, loraConfigSchema } from "@tinkex/types";
import type { NewModel } from "../training/create-model.js";

/** A new model: its base, the adapter, and the optimizer. */
export interface LoraTrainingParams
  extends Pick<CreateModelRequest, "base_model" | "user_metadata" | "optimizer_config">,
    Partial<LoraConfig> {}

const LORA_PARAMS: Readonly<Record<keyof LoraTrainingParams, true>> = {
  base_model: true,
  user_metadata: true,
  optimizer_config: true,
  rank: true,
  seed: true,
  train_unembed: true,
  train_mlp: true,
  train_attn: true,
};

/** Checks the properties of a new model and fills in their defaults. @throws ValidationError */
export function newLoraModel(params: LoraTrainingParams): NewModel {
  checkObject(params, "createLoraTrainingClient: params", '{ base_model: "Qwen/Qwen3-8B", rank: 32 }');
  checkKnownNames(params, LORA_PARAMS, "createLoraTrainingClient");
  const { base_model, user_metadata, optimizer_config, rank = LoraConfig.defaults.rank, ...adapter } = params;
  if (typeof base_model !== "string" || base_model === "") {
    throw new ValidationError(
      "createLoraTrainingClient: base_model is missing; name a model, e.g. one that getServerCapabilities() lists",
      {
        path: ["base_model"],
      },
    );
  }
  const { train_unembed = true, train_mlp = true, train_attn = true } = adapter;
  const lora_config = checkSent(
    loraConfigSchema,
    { ...adapter, rank, train_unembed, train_mlp, train_attn },
    "createLoraTrainingClient",
  );
  return { base_model, user_metadata, optimizer_config, lora_config };
}
