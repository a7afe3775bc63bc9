import { existsSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { createTokenizer, type TextTokenizer, type TokenizerFiles } from "@tinkex/tokenizer";
import { isRecord } from "../json/bounded-collections.js";
import { parseJsonFile } from "../json/read-json-file.js";
import { shortened } from "../json/shortened.js";

/** Largest `tokenizer.json` that is read: those of 260,000 tokens have 34 MB. */
const MAX_TOKENIZER_BYTES = 64 * 2 ** 20;

/** Largest `tokenizer_config.json`: it may list every added token once more. */
const MAX_CONFIG_BYTES = 16 * 2 ** 20;

/** Most tokens beside the model's own; published models add some thousands. */
const MAX_ADDED_TOKENS = 65_536;

/**
 * Reads the tokenizer of a model directory, to turn ids into the text in which stop texts are looked for.
 *
 * @throws ValidationError naming the file that is missing, too large or no tokenizer's
 */
export function readDecoder(directory: string): (ids: readonly number[]) => string {
  const file = join(directory, "tokenizer.json");
  if (!existsSync(file)) {
    throw new ValidationError(
      `stop strings need tokenizer.json, which ${directory} does not have; use stop ids`,
    );
  }
  const tokenizer = parseJsonFile(file, MAX_TOKENIZER_BYTES);
  const added = isRecord(tokenizer) ? tokenizer.added_tokens : undefined;
  if (Array.isArray(added) && added.length > MAX_ADDED_TOKENS) {
    throw new ValidationError(
      `${file} must have at most ${MAX_ADDED_TOKENS} added tokens, got ${added.length}: make them tokens of the model`,
    );
  }
  const { decode } = usable(file, { tokenizer, ...configOf(directory) });
  return (ids) => decode(ids);
}

/** A tokenizer of whatever the files hold; what it stumbles over is a fault of theirs. */
function usable(file: string, files: TokenizerFiles): TextTokenizer {
  try {
    return createTokenizer(files);
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    const why = cause instanceof Error ? shortened(cause.message) : "no reason given";
    throw new ValidationError(`${file} is not a tokenizer's (${why}); download it again`, { cause });
  }
}

function configOf(directory: string): { readonly config?: Readonly<Record<string, unknown>> } {
  const file = join(directory, "tokenizer_config.json");
  if (!existsSync(file)) return {};
  const config = parseJsonFile(file, MAX_CONFIG_BYTES);
  if (!isRecord(config)) {
    throw new ValidationError(`${file} must hold a JSON object; download it again`);
  }
  return { config };
}
