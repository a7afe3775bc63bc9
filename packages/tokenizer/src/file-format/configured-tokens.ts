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
  /** Padding that tokenizer.json asks for. */
  readonly padding?: unknown;
}

/** The vocabulary of a model, for the ids of what is added to it. */
export interface ModelVocabulary {
  tokenId(token: string): number | undefined;
  readonly size: number;
}

type NewToken = Omit<AddedToken, "id">;

/**
 * Puts the settings of the files together as transformers 5 does: those of `special_tokens_map.json` win, and count only where
 * the config lists no `added_tokens_decoder`. A padding token of tokenizer.json counts where no file names another.
 */
export function tokenSettings(files: TokenFiles): Record<string, unknown> {
  const { padding } = files;
  return {
    ...(isRecord(padding) && { pad_token: padding.pad_token }),
    ...files.config,
    ...mapThatCounts(files),
  };
}

function mapThatCounts({ config, specialTokensMap = {} }: TokenFiles): Readonly<Record<string, unknown>> {
  if ("added_tokens_decoder" in config) return {};
  // Its objects are special tokens, whatever they say.
  const settings = Object.entries(specialTokensMap).map(([name, value]): [string, unknown] => {
    const isToken = isRecord(value) && name !== "extra_special_tokens";
    return [name, isToken ? { ...value, special: true } : value];
  });
  return Object.fromEntries(settings);
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
  const { own, list } = furtherTokens(files);
  const { listed, byContent } = listedTokens(added, files);
  const usual = USUAL_NAMES.map((name) => {
    const [token] = readTokens([settings[name]]);
    return byContent.get(token?.content) ?? settings[name];
  });
  const named = new Set(readTokens([...usual, ...own]).map(({ content }) => content));
  const tokens = new Map(added.map((token) => [token.content, token]));
  const wanted = listed.map((token) => (named.has(token.content) ? { ...token, special: true } : token));
  const known = new Set([...tokens.keys(), ...wanted.map(({ content }) => content)]);
  // One named twice keeps the flags that it had last; as text it is named once.
  const texts = new Set<unknown>();
  const isNew = (value: unknown) => typeof value !== "string" || texts.size < texts.add(value).size;
  wanted.push(
    ...readTokens([...usual, ...own, ...list].filter(isNew)).filter(({ content }) => !known.has(content)),
  );

  const highest = added.reduce((most, { id }) => Math.max(most, id), -1);
  let next = Math.max(highest + 1, model.size);
  /** Flags as they were given last: the same once more change nothing. */
  const given = new Map<string, NewToken>(tokens);
  for (const token of wanted) {
    if (token.content === "" || isSame(token, given.get(token.content))) continue;
    given.set(token.content, token);
    const before = tokens.get(token.content);
    const id = before?.id ?? model.tokenId(token.content) ?? next;
    if (id === next) next += 1;
    // A token that was special once stays so, as in Rust, whichever flags come later.
    const isSpecial = token.special || named.has(token.content) || before?.special === true;
    tokens.set(token.content, { ...token, special: isSpecial, id });
  }
  return [...tokens.values()];
}

const USUAL_NAMES: readonly string[] = TOKEN_PURPOSES.map((purpose) => `${purpose}_token`);

/**
 * Tokens beside the usual ones: those of this model alone, such as `image_token`, and those without a purpose. An object of
 * `extra_special_tokens` is of the first kind, and leaves the older name of the list its meaning.
 */
function furtherTokens(files: TokenFiles): {
  readonly own: readonly unknown[];
  readonly list: readonly unknown[];
} {
  const { config } = files;
  const map = mapThatCounts(files);
  const { extra, mapped, older } = extraTokens(files);
  const own = {
    ...ownTokens(config, isRecord),
    ...ownTokens(map, (value) => typeof value === "string" || isRecord(value)),
    ...ownTokens(config, (value) => typeof value === "string"),
    ...(isRecord(extra) ? extra : {}),
    ...(isRecord(mapped) ? mapped : {}),
  };
  // The list of the map is put behind that of the config, an object of the map in its place.
  const lists = isRecord(mapped) ? [] : [extra, mapped].filter((list) => Array.isArray(list));
  const others = map.additional_special_tokens ?? older;
  return {
    own: Object.values(own),
    list: lists.length > 0 ? lists.flat() : listOf(others),
  };
}

/** The extra tokens of the config and of the map, and what stands under the older name where the config has both. */
function extraTokens(files: TokenFiles): Readonly<Record<"extra" | "mapped" | "older", unknown>> {
  const { extra_special_tokens: given, additional_special_tokens: older } = files.config;
  const isFilled = isRecord(given) ? Object.keys(given).length > 0 : Array.isArray(given) && given.length > 0;
  const mapped = mapThatCounts(files).extra_special_tokens;
  return { extra: isFilled ? given : (older ?? given), mapped, older: isFilled ? older : undefined };
}

function ownTokens(
  settings: Readonly<Record<string, unknown>>,
  isToken: (value: unknown) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => name.endsWith("_token") && !USUAL_NAMES.includes(name) && isToken(value),
    ),
  );
}

/**
 * Tokens that the files list with their flags, in the order of the ids named there. Where the config lists none these are those of
 * tokenizer.json and of `added_tokens.json`, of which the first keep an id that both name. One that has lost its id so is found by
 * its content alone: its flags are those of a usual token of that name.
 */
function listedTokens(
  added: readonly AddedToken[],
  files: TokenFiles,
): { readonly listed: readonly NewToken[]; readonly byContent: ReadonlyMap<unknown, NewToken> } {
  const { added_tokens_decoder: decoder } = files.config;
  const byId = new Map<number, NewToken>();
  const byContent = new Map<unknown, NewToken>();
  const list = (id: number, token: NewToken | undefined) => {
    if (token === undefined) return;
    byId.set(id, token);
    byContent.set(token.content, token);
  };
  if (isRecord(decoder)) {
    for (const [id, token] of Object.entries(decoder)) list(Number(id), readAddedToken(token));
  } else {
    const special = specialBefore(files);
    for (const [content, id] of Object.entries(files.addedTokens ?? {}))
      list(Number(id), readAddedToken({ content, special: special.has(content) }));
    for (const token of added) list(token.id, token);
  }
  const listed = [...byId].sort(([a], [b]) => a - b).map(([, token]) => token);
  return { listed, byContent };
}

/** Tokens that are known to be special when `added_tokens.json` is read: objects count in the map, and in the config are read later. */
function specialBefore(files: TokenFiles): ReadonlySet<string> {
  const { config } = files;
  const map = mapThatCounts(files);
  const { extra, mapped } = extraTokens(files);
  const lists = isRecord(mapped) ? [] : [extra, mapped];
  const ofConfig = [
    ...USUAL_NAMES.map((name) => (name in map ? undefined : config[name])),
    ...listOf(lists[0]),
  ];
  const ofMap = [...USUAL_NAMES.map((name) => map[name]), ...listOf(lists[1])];
  const tokens = readTokens([...ofConfig.filter((value) => typeof value === "string"), ...ofMap]);
  return new Set(tokens.map(({ content }) => content));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const FLAGS = ["special", "normalized", "single_word", "lstrip", "rstrip"] as const;

function isSame(token: NewToken, other: NewToken | undefined): boolean {
  return other !== undefined && FLAGS.every((flag) => token[flag] === other[flag]);
}
