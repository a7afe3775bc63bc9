import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { z } from "zod";
import { readJsonFile } from "../json/read-json-file.js";
import { type AdapterParameters, loraAlpha } from "./adapter-parameters.js";

/** Name of PEFT's description of an adapter, in the adapter's directory. */
export const peftConfigFile = "adapter_config.json";

/** PEFT's description of an adapter. @param baseModel the name clients ask for, e.g. `tinkex/pocket-1` */
export function peftConfig({ shape, pairs }: AdapterParameters, baseModel: string): Record<string, unknown> {
  const lastPart = (module: string) => module.slice(module.lastIndexOf(".") + 1);
  return {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: baseModel,
    r: shape.rank,
    lora_alpha: loraAlpha,
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    target_modules: [...new Set(pairs.map(({ module }) => lastPart(module)))].sort(),
    modules_to_save: null,
    use_rslora: false,
    use_dora: false,
  };
}

const noPattern = z.record(z.string(), z.number()).nullish();
const schema = z.object({
  peft_type: z.string(),
  r: z.number().int().positive(),
  lora_alpha: z.number(),
  bias: z.string().default("none"),
  use_rslora: z.boolean().nullish(),
  use_dora: z.boolean().nullish(),
  rank_pattern: noPattern,
  alpha_pattern: noPattern,
});

/**
 * Reads the rank from an adapter's `adapter_config.json`. Which modules it adapts is read from its tensors.
 *
 * @throws ValidationError when it asks for another kind of adapter than the engine trains
 */
export function readPeftRank(directory: string): number {
  const file = join(directory, peftConfigFile);
  const config = readJsonFile(file, schema);
  const isSet = (pattern: object | null | undefined) => Object.keys(pattern ?? {}).length > 0;
  const unsupported = [
    config.peft_type !== "LORA" && `peft_type "${config.peft_type}" (only "LORA")`,
    config.lora_alpha !== loraAlpha && `lora_alpha ${config.lora_alpha} (only ${loraAlpha})`,
    config.bias !== "none" && `bias "${config.bias}"`,
    config.use_rslora && "use_rslora",
    config.use_dora && "use_dora",
    isSet(config.rank_pattern) && "rank_pattern",
    isSet(config.alpha_pattern) && "alpha_pattern",
  ].filter((fault) => typeof fault === "string");
  if (unsupported.length > 0) {
    throw new ValidationError(
      `${file} describes an adapter this engine cannot run: ${unsupported.join(", ")}`,
    );
  }
  return config.r;
}
