import { existsSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import type { NamedJson } from "../json/parse-json.js";
import { parseJsonFile } from "../json/read-json-file.js";
import { modelTokenizer } from "./model-tokenizer.js";

/** Largest `tokenizer.json` that is read: those of 260,000 tokens have 34 MB. */
const MAX_TOKENIZER_BYTES = 64 * 2 ** 20;

/** Largest `tokenizer_config.json`: it may list every added token once more. */
const MAX_CONFIG_BYTES = 16 * 2 ** 20;

/**
 * Reads the tokenizer of a model directory, to turn ids into the text in which stop texts are looked for.
 *
 * @throws ValidationError naming the file that is missing, too large or no tokenizer's
 */
export function readDecoder(directory: string): (ids: readonly number[]) => string {
  const tokenizer = read(directory, "tokenizer.json", MAX_TOKENIZER_BYTES);
  if (tokenizer === undefined) {
    throw new ValidationError(
      `stop strings need tokenizer.json, which ${directory} does not have; use stop ids`,
    );
  }
  const { decode } = modelTokenizer(tokenizer, read(directory, "tokenizer_config.json", MAX_CONFIG_BYTES));
  return (ids) => decode(ids);
}

function read(directory: string, name: string, maxBytes: number): NamedJson | undefined {
  const file = join(directory, name);
  return existsSync(file) ? { file, value: parseJsonFile(file, maxBytes) } : undefined;
}
