import { existsSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import type { NamedJson } from "../json/parse-json.js";
import { parseJsonFile } from "../json/read-json-file.js";
import type { ModelConfig } from "./model-config.js";
import { parseModelConfig } from "./parse-model-config.js";

/**
 * Reads `config.json` and `generation_config.json` of a model directory.
 *
 * @throws ValidationError naming the file and the field when the directory is no model this engine can run
 */
export function readModelConfig(directory: string): ModelConfig {
  const config = readSettings(directory, "config.json");
  if (config === undefined) {
    throw new ValidationError(
      `${directory} is not a model directory: it has no config.json; ` +
        "name a directory in Hugging Face layout (config.json, model.safetensors, tokenizer.json)",
    );
  }
  return parseModelConfig(config, readSettings(directory, "generation_config.json"));
}

function readSettings(directory: string, name: string): NamedJson | undefined {
  const file = join(directory, name);
  return existsSync(file) ? { file, value: parseJsonFile(file) } : undefined;
}
