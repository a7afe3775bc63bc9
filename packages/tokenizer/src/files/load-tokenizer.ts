import { join } from "node:path";
import { checkString, ValidationError } from "@tinkex/base";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { readFileIfThere } from "./read-file-if-there.js";
import { readTokenizerFiles } from "./read-tokenizer-files.js";

/**
 * Loads the tokenizer of a model directory: its `tokenizer.json` and, where there are any, `tokenizer_config.json` and
 * `chat_template.jinja`.
 *
 * @throws ValidationError naming the file that is missing, unreadable, no JSON or no tokenizer.
 */
export async function loadTokenizer(directory: string): Promise<TextTokenizer> {
  checkString(directory, "loadTokenizer: directory", "models/qwen3");
  const files = await readTokenizerFiles((name) => readFileIfThere(join(directory, name)), directory);
  if (files === undefined) {
    throw new ValidationError(
      `loadTokenizer: there is no tokenizer.json in ${directory}; give the directory of a Hugging Face model that has one`,
    );
  }
  return createTokenizer(files);
}
