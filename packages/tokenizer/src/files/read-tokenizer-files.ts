import { ValidationError } from "@tinkex/base";
import {
  ADDITIONAL_TEMPLATES,
  TEMPLATE_ENDING,
  USUAL_TEMPLATES,
} from "../file-format/additional-templates.js";
import { tokenizerOfTiktoken } from "../file-format/tiktoken-file.js";
import type { TokenizerFiles } from "../tokenizer/create-tokenizer.js";

/** Gives the text of one of a tokenizer's files, or undefined where there is none of that name. */
export type TokenizerFileReader = (name: string) => Promise<string | undefined>;

/**
 * Reads the files of a tokenizer: `tokenizer.json` or Kimi's `tiktoken.model`, and where there are any `tokenizer_config.json`, `chat_template.jinja`
 * with those of `additional_chat_templates` and, of older models, `special_tokens_map.json` and `added_tokens.json`. Undefined when there
 * is neither of the first.
 *
 * @param place - the place of the files, for messages
 * @param listTemplates - gives the names of the additional templates; by default the usual ones are looked for beside a `chat_template.jinja`
 * @throws ValidationError naming the file that is no JSON, or no list of ranks.
 */
export async function readTokenizerFiles(
  read: TokenizerFileReader,
  place: string,
  listTemplates?: () => Promise<readonly string[]>,
): Promise<TokenizerFiles | undefined> {
  // The first alone: a source may learn from it which version the others must be of.
  const tokenizer = await read("tokenizer.json");
  const tiktoken = tokenizer === undefined ? await read("tiktoken.model") : undefined;
  if (tokenizer === undefined && tiktoken === undefined) return undefined;
  const [config, chatTemplate] = await Promise.all([
    read("tokenizer_config.json"),
    read("chat_template.jinja"),
  ]);
  const parsedConfig = config === undefined ? undefined : parseObject(config, "tokenizer_config.json", place);
  // Files of older models, which count where the config lists no tokens.
  const isOlder = parsedConfig === undefined || !("added_tokens_decoder" in parsedConfig);
  const [specialTokensMap, addedTokens] = await Promise.all(
    OLDER_FILES.map(async (name) => {
      const text = isOlder ? await read(name) : undefined;
      return text === undefined ? undefined : parseObject(text, name, place);
    }),
  );
  // Last of all: where the hub fails over one of these, which a tokenizer does without, a source asks it for nothing more.
  const usual = chatTemplate === undefined ? [] : USUAL_TEMPLATES;
  const additionalChatTemplates = await readTemplates(read, (await listTemplates?.()) ?? usual);
  return {
    tokenizer:
      tokenizer === undefined
        ? tokenizerOfTiktoken(tiktoken ?? "", parsedConfig ?? {})
        : parse(tokenizer, "tokenizer.json", place),
    ...(parsedConfig === undefined ? {} : { config: parsedConfig }),
    ...(specialTokensMap === undefined ? {} : { specialTokensMap }),
    ...(addedTokens === undefined ? {} : { addedTokens }),
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
    ...(Object.keys(additionalChatTemplates).length === 0 ? {} : { additionalChatTemplates }),
  };
}

async function readTemplates(
  read: TokenizerFileReader,
  names: readonly string[],
): Promise<Record<string, string>> {
  const entries = await Promise.all(
    names.map(
      async (name) => [name, await read(`${ADDITIONAL_TEMPLATES}/${name}${TEMPLATE_ENDING}`)] as const,
    ),
  );
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const OLDER_FILES = ["special_tokens_map.json", "added_tokens.json"] as const;

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
