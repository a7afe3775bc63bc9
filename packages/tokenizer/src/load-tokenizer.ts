import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/types";
import { createTokenizer } from "./create-tokenizer.js";
import type { TextTokenizer } from "./text-tokenizer.js";

/**
 * Loads the tokenizer of a model directory: its `tokenizer.json` and, where there is one, `tokenizer_config.json`.
 *
 * @throws ValidationError naming the file when it is missing, unreadable, no JSON or no tokenizer.
 */
export async function loadTokenizer(directory: string): Promise<TextTokenizer> {
  const [tokenizer, config] = await Promise.all([
    readJson(join(directory, "tokenizer.json")),
    readJson(join(directory, "tokenizer_config.json")),
  ]);
  if (tokenizer === undefined) {
    throw new ValidationError(
      `There is no tokenizer.json in ${directory}. Give the directory of a Hugging Face model that has one.`,
    );
  }
  // createTokenizer reads single fields of the config and minds their types itself.
  return createTokenizer({ tokenizer, config: (config ?? {}) as Record<string, unknown> });
}

/** The parsed content of a JSON file; undefined when there is no such file. */
async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ValidationError(
      `Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ValidationError(`${path} is not JSON. Download it again.`, { cause });
  }
}
