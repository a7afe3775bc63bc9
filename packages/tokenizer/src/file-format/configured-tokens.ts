import { isRecord } from "./is-record.js";
import { readTokens, TOKEN_PURPOSES } from "./tokenizer-config.js";
import { type AddedToken, readAddedToken } from "./tokenizer-json.js";

/** Content of the files beside a tokenizer.json that name tokens, each parsed. */
export interface TokenFiles {
  /** Of `tokenizer_config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Of `special_tokens_map.json`. */
  readonly specialTokensMap?: Readonly<Record<string, unknown>> | undefined;
  /** Of `added_tokens.json`. */
  readonly addedTokens?: Readonly<Record<string, unknown>> | undefined;
}

/** The vocabulary of a model, for the ids of what is added to it. */
export interface ModelVocabulary {
  tokenId(token: string): number | undefined;
  readonly size: number;
}

type NewToken = Omit<AddedToken, "id">;

/**
 * Puts the settings of the files together as transformers 5 does: those of `special_tokens_map.json` win, and count only where
 * the config lists no `added_tokens_decoder`.
 */
export function tokenSettings({ config, specialTokensMap = {} }: TokenFiles): Record<string, unknown> {
  return "added_tokens_decoder" in config ? config : { ...config, ...specialTokensMap };
}

/**
 * The added tokens of a tokenizer with those that its other files name, as `AutoTokenizer` of transformers 5 has them
 * (`tokenization_utils_tokenizers.py`): a token that is there already gets the flags of the config, one of the vocabulary
 * keeps its id, and each other gets the next free id, whichever the file names.
 */
export function withConfiguredTokens(
  added: readonly AddedToken[],
  files: TokenFiles,
  model: ModelVocabulary,
): readonly AddedToken[] {
  const settings = tokenSettings(files);
  const special = namedSpecialTokens(settings);
  const extra = extraSpecialTokens(settings);
  const listed = listedTokens(settings, files, new Set([...special, ...extra].map(({ content }) => content)));
  const tokens = new Map(added.map((token) => [token.content, token]));
  const wanted = listed.filter((token) => !isSame(token, tokens.get(token.content)));
  const known = new Set([...tokens.keys(), ...wanted.map(({ content }) => content)]);
  // One named twice keeps the flags that it had last.
  wanted.push(...[...special, ...extra].filter(({ content }) => !known.has(content)));

  const named = new Set(special.map(({ content }) => content));
  const highest = added.reduce((most, { id }) => Math.max(most, id), -1);
  let next = Math.max(highest + 1, model.size);
  for (const token of wanted) {
    if (token.content === "") continue;
    const before = tokens.get(token.content);
    const id = before?.id ?? model.tokenId(token.content) ?? next;
    if (id === next) next += 1;
    // A token that was special once stays so, as in Rust, whichever flags come later.
    const isSpecial = token.special || named.has(token.content) || before?.special === true;
    tokens.set(token.content, { ...token, special: isSpecial, id });
  }
  return [...tokens.values()];
}

/** Tokens that the settings name by a purpose: the usual ones, and those of this model alone such as `image_token`. */
function namedSpecialTokens(settings: Readonly<Record<string, unknown>>): NewToken[] {
  const usual = TOKEN_PURPOSES.map((purpose) => settings[`${purpose}_token`]);
  const usualNames = new Set(TOKEN_PURPOSES.map((purpose) => `${purpose}_token`));
  const own = Object.entries(settings)
    .filter(([name, value]) => name.endsWith("_token") && typeof value === "string" && !usualNames.has(name))
    .map(([, value]) => value);
  const { extra_special_tokens: extra } = settings;
  return readTokens([...usual, ...own, ...(isRecord(extra) ? Object.values(extra) : [])]);
}

/** Tokens without a purpose. An object of them has purposes, and leaves the older name its meaning. */
function extraSpecialTokens(settings: Readonly<Record<string, unknown>>): NewToken[] {
  const { extra_special_tokens: extra, additional_special_tokens: additional } = settings;
  const list = Array.isArray(extra) && extra.length > 0 ? extra : additional;
  return readTokens(Array.isArray(list) ? list : []);
}

/** Tokens that the files list with their flags, in the order of the ids named there. */
function listedTokens(
  { added_tokens_decoder: decoder }: Readonly<Record<string, unknown>>,
  { addedTokens = {} }: TokenFiles,
  special: ReadonlySet<string>,
): NewToken[] {
  const entries: (readonly [id: number, token: NewToken | undefined])[] = isRecord(decoder)
    ? Object.entries(decoder).map(([id, token]) => [Number(id), readAddedToken(token)])
    : Object.entries(addedTokens).map(([content, id]) => [
        Number(id),
        readAddedToken({ content, special: special.has(content) }),
      ]);
  return entries.sort(([a], [b]) => a - b).flatMap(([, token]) => token ?? []);
}

const FLAGS = ["special", "normalized", "single_word", "lstrip", "rstrip"] as const;

function isSame(token: NewToken, other: NewToken | undefined): boolean {
  return other !== undefined && FLAGS.every((flag) => token[flag] === other[flag]);
}
