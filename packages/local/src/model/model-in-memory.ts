import { describeValue, ValidationError } from "@tinkex/base";
import type { TextTokenizer } from "@tinkex/tokenizer";
import { type NamedJson, parseJson } from "../json/parse-json.js";
import { SafetensorsReader } from "../safetensors/safetensors-reader.js";
import { checkGraphSize, checkRotaryTables } from "./check-model-size.js";
import type { ModelConfig } from "./model-config.js";
import { type GraphWeights, modelTensors } from "./model-tensors.js";
import { modelTokenizer } from "./model-tokenizer.js";
import { parseModelConfig } from "./parse-model-config.js";

/**
 * The files of a Hugging Face model directory by name: `config.json`, `tokenizer.json`, and the weights in one or more files that end
 * in `.safetensors`; where there are any, `generation_config.json` and `tokenizer_config.json`.
 */
export type ModelFiles = Readonly<Record<string, Uint8Array>>;

/** A base model that was read from memory. */
export interface ModelInMemory {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  readonly tokenizer: TextTokenizer;
}

/** Place of a model in messages. */
const PLACE = "the given files";

/**
 * Reads a model. The bytes of its weights are kept, and widened to float32 when a graph asks for them.
 *
 * @throws ValidationError naming the file that is missing, or wrong, and the field or tensor in it
 */
export function modelInMemory(files: ModelFiles): ModelInMemory {
  const settings = requireJson(files, "config.json");
  const config = parseModelConfig(settings, jsonOf(files, "generation_config.json"));
  checkRotaryTables(config, PLACE);
  checkGraphSize(config, PLACE);
  const tensors = new Map<string, SafetensorsReader>();
  for (const name of Object.keys(files)) {
    if (!name.endsWith(".safetensors") || files[name] === undefined) continue;
    const reader = SafetensorsReader.ofBytes(bytesOf(files, name), name);
    for (const tensor of reader.names) tensors.set(tensor, reader);
  }
  const weights = modelTensors(tensors, config, PLACE);
  const tokenizer = modelTokenizer(
    requireJson(files, "tokenizer.json"),
    jsonOf(files, "tokenizer_config.json"),
  );
  return { config, weights, tokenizer };
}

function requireJson(files: ModelFiles, name: string): NamedJson {
  const json = jsonOf(files, name);
  if (json !== undefined) return json;
  const given = Object.keys(files).slice(0, 10).join(", ") || "none";
  throw new ValidationError(
    `openModel: files must have "${name}", got ${given}; give all files of a model directory by their names`,
    { path: ["files", name] },
  );
}

function jsonOf(files: ModelFiles, name: string): NamedJson | undefined {
  if (!Object.hasOwn(files, name) || files[name] === undefined) return undefined;
  return { file: name, value: parseJson(new TextDecoder().decode(bytesOf(files, name)), name) };
}

function bytesOf(files: ModelFiles, name: string): Uint8Array {
  const bytes: unknown = files[name];
  if (bytes instanceof Uint8Array) return bytes;
  throw new ValidationError(`openModel: files["${name}"] must be a Uint8Array, got ${describeValue(bytes)}`, {
    path: ["files", name],
  });
}
