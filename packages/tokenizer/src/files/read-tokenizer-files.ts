import { ValidationError } from "@tinkex/base";
import type { TokenizerFiles } from "../tokenizer/create-tokenizer.js";

/** Gives the text of one of a tokenizer's files, or undefined where there is none of that name. */
export type TokenizerFileReader = (name: string) => Promise<string | undefined>;

/**
 * Reads the files of a tokenizer: `tokenizer.json`, and where there are any `tokenizer_config.json` and
 * `chat_template.jinja`. Undefined when the first is missing.
 *
 * @param place - the place of the files, for messages
 * @throws ValidationError naming the file that is no JSON.
 */
export async function readTokenizerFiles(
  read: TokenizerFileReader,
  place: string,
): Promise<TokenizerFiles | undefined> {
  // The first alone: a source may learn from it which version the others must be of.
  const tokenizer = await read("tokenizer.json");
  if (tokenizer === undefined) return undefined;
  const [config, chatTemplate] = await Promise.all([
    read("tokenizer_config.json"),
    read("chat_template.jinja"),
  ]);
  return {
    tokenizer: parse(tokenizer, "tokenizer.json", place),
    ...(config === undefined ? {} : { config: parseObject(config, "tokenizer_config.json", place) }),
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
  };
}

function parse(text: string, name: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ValidationError(`${name} in ${place} is not JSON; download it again`, { cause });
  }
}

function parseObject(text: string, name: string, place: string): Record<string, unknown> {
  const value = parse(text, name, place);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ValidationError(`${name} in ${place} does not hold a JSON object; download it again`);
  }
  // JSON.parse gives plain objects, whose keys are strings.
  return value as Record<string, unknown>;
}
