import { ValidationError } from "@tinkex/base";
import { createTokenizer, type TextTokenizer, type TokenizerFiles } from "@tinkex/tokenizer";
import { isRecord } from "../json/bounded-collections.js";
import type { NamedJson } from "../json/parse-json.js";
import { shortened } from "../json/shortened.js";

/** Most tokens beside the model's own; published models add some thousands. */
const MAX_ADDED_TOKENS = 65_536;

/**
 * Makes the tokenizer of a model: `tokenizer.json`, and `tokenizer_config.json` where there is one.
 *
 * @throws ValidationError naming the file that is no tokenizer's
 */
export function modelTokenizer(
  { file, value: tokenizer }: NamedJson,
  config: NamedJson | undefined,
): TextTokenizer {
  const added = isRecord(tokenizer) ? tokenizer.added_tokens : undefined;
  if (Array.isArray(added) && added.length > MAX_ADDED_TOKENS) {
    throw new ValidationError(
      `${file} must have at most ${MAX_ADDED_TOKENS} added tokens, got ${added.length}: make them tokens of the model`,
    );
  }
  return usable(file, { tokenizer, ...(config && { config: settingsOf(config) }) });
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

function settingsOf({ file, value }: NamedJson): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new ValidationError(`${file} must hold a JSON object; download it again`);
}
