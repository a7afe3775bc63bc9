import { type AdapterParameters, createAdapterParameters } from "../../adapter/adapter-parameters.js";
import type { AdapterTensors } from "../../adapter/adapter-tensors.js";
import type { ModelConfig } from "../../model/model-config.js";
import { SafetensorsFile } from "../../safetensors/safetensors-file.js";
import type { GoldenCase } from "./golden-case.js";
import { goldenPath } from "./golden-files.js";

/** Two arrays for every module of an adapter, from a file that names them as PEFT does. */
export function readGoldenTensors(path: string, parameters: AdapterParameters, prefix = ""): AdapterTensors {
  const file = SafetensorsFile.open(goldenPath(path));
  try {
    return parameters.pairs.map(({ module }) => ({
      a: file.read(`${prefix}base_model.model.${module}.lora_A.weight`).data,
      b: file.read(`${prefix}base_model.model.${module}.lora_B.weight`).data,
    }));
  } finally {
    file.close();
  }
}

export function readGoldenAdapter(
  directory: string,
  config: ModelConfig,
  lora: GoldenCase["lora_config"],
): AdapterParameters {
  const shape = {
    rank: lora.rank,
    trainAttention: lora.train_attn,
    trainMlp: lora.train_mlp,
    trainUnembedding: lora.train_unembed,
  };
  const parameters = createAdapterParameters(config, shape, 0);
  const tensors = readGoldenTensors(`${directory}/adapter_model.safetensors`, parameters);
  parameters.pairs.forEach((pair, index) => {
    pair.a.set(tensors[index]?.a ?? []);
    pair.b.set(tensors[index]?.b ?? []);
  });
  return parameters;
}
