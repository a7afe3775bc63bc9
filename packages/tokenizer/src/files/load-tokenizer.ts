import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkString, ValidationError } from "@tinkex/base";
import { ADDITIONAL_TEMPLATES, TEMPLATE_ENDING } from "../file-format/additional-templates.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { readFileIfThere } from "./read-file-if-there.js";
import { readTokenizerFiles } from "./read-tokenizer-files.js";

/**
 * Loads the tokenizer of a model directory: its `tokenizer.json` and, where there are any, `tokenizer_config.json` and
 * `chat_template.jinja`, with the templates in `additional_chat_templates`.
 *
 * @throws ValidationError naming the file that is missing, unreadable, no JSON or no tokenizer.
 */
export async function loadTokenizer(directory: string): Promise<TextTokenizer> {
  checkString(directory, "loadTokenizer: directory", "models/qwen3");
  const read = (name: string) => readFileIfThere(join(directory, name));
  const files = await readTokenizerFiles(read, directory, () => templatesIn(directory));
  if (files === undefined) {
    throw new ValidationError(
      `loadTokenizer: there is no tokenizer.json in ${directory}; give the directory of a Hugging Face model that has one`,
    );
  }
  return createTokenizer(files);
}

/** The names of a directory's additional templates; none where it has no folder of them. */
async function templatesIn(directory: string): Promise<string[]> {
  const entries = await readdir(join(directory, ADDITIONAL_TEMPLATES), { withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(TEMPLATE_ENDING))
    .map(({ name }) => name.slice(0, -TEMPLATE_ENDING.length));
}
