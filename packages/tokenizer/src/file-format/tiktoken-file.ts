import { ValidationError } from "@tinkex/base";
import { spellByteList } from "../text/byte-level.js";
import { isRecord } from "./is-record.js";
import { readTokens, TOKEN_PURPOSES } from "./tokenizer-config.js";
import { type AddedToken, readAddedToken } from "./tokenizer-json.js";

/** Code that Kimi's repositories name in their config; it says how the file is used. */
const KIMI_CODE = "tokenization_kimi.TikTokenTokenizer";
/** The pattern of that code. */
const LETTERS = {
  upper: String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]`,
  lower: String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]`,
  before: String.raw`[^\r\n\p{L}\p{N}]?`,
  after: "(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
};
const KIMI_PATTERN = [
  String.raw`[\p{Han}]+`,
  `${LETTERS.before}${LETTERS.upper}*${LETTERS.lower}+${LETTERS.after}`,
  `${LETTERS.before}${LETTERS.upper}+${LETTERS.lower}*${LETTERS.after}`,
  String.raw`\p{N}{1,3}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s+(?!\S)`,
  String.raw`\s+`,
].join("|");
const RESERVED_TOKENS = 256;

/**
 * Makes of a `tiktoken.model` and the config beside it what a tokenizer.json would say. The file has a token in base64 and its id
 * on each line; the 256 ids behind them are special tokens, named by the config's `added_tokens_decoder` or by their number.
 *
 * @throws ValidationError when a line is none, or the config names other code than that of Kimi, which is what is known.
 */
export function tokenizerOfTiktoken(text: string, config: Readonly<Record<string, unknown>>): object {
  checkCode(config);
  const vocab = readRanks(text);
  const byteSpelling = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
  const split = { type: "Split", pattern: { Regex: KIMI_PATTERN }, behavior: "Isolated", invert: false };
  return {
    model: { type: "Tiktoken", vocab },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "LongRuns" }, split, byteSpelling] },
    decoder: { type: "ByteLevel" },
    added_tokens: reservedTokens(Object.keys(vocab).length, config),
  };
}

function checkCode({ auto_map: map }: Readonly<Record<string, unknown>>): void {
  const named: unknown = isRecord(map) ? map.AutoTokenizer : map;
  if (Array.isArray(named) ? named.includes(KIMI_CODE) : named === KIMI_CODE) return;
  throw new ValidationError(
    `auto_map of the tokenizer_config.json beside a tiktoken.model must name ${KIMI_CODE}, whose pattern is known here, got ${JSON.stringify(named) ?? "nothing"}; register a source that gives your own tokenizer for it`,
  );
}

/** Reads the lines as tiktoken does: in whatever order, parted by white space of every kind, empty ones passed over. Ids have no gaps, as those behind them are counted. */
function readRanks(text: string): Record<string, number> {
  const ranks: Record<string, number> = Object.create(null);
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line !== "");
  const used = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const [base64 = "", rank = "", ...rest] = line.split(/\s/).filter((part) => part !== "");
    const token = rest.length === 0 ? spellBase64(base64) : undefined;
    const id = /^\d{1,9}$/.test(rank) ? Number(rank) : lines.length;
    if (token === undefined || id >= lines.length || used.has(id) || Object.hasOwn(ranks, token)) {
      throw new ValidationError(
        `line ${index + 1} of this tiktoken.model must be a token in base64, a space and an id below ${lines.length}, neither of which stands in a line before, got ${JSON.stringify(line.slice(0, 80))}; download it again`,
      );
    }
    used.add(id);
    ranks[token] = id;
  }
  const missing = Array.from({ length: 256 }, (_, byte) => byte).find(
    (byte) => !Object.hasOwn(ranks, spellByteList(Uint8Array.of(byte))),
  );
  if (missing === undefined) return ranks;
  throw new ValidationError(
    `this tiktoken.model must have a token for each byte, got none for ${missing}; download it again`,
  );
}

function spellBase64(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return spellByteList(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

/** The special tokens behind the ranks. The config's named ones are special, whatever their flag says, and so are those without a name. */
function reservedTokens(first: number, config: Readonly<Record<string, unknown>>): AddedToken[] {
  const {
    added_tokens_decoder: decoder,
    additional_special_tokens: additional,
    extra_special_tokens: extra,
  } = config;
  const named = readTokens([
    ...TOKEN_PURPOSES.map((purpose) => config[`${purpose}_token`]),
    ...(Array.isArray(additional) ? additional : []),
    ...(Array.isArray(extra) ? extra : []),
  ]);
  const special = new Set(named.map(({ content }) => content));
  return Array.from({ length: RESERVED_TOKENS }, (_, index) => {
    const id = first + index;
    const listed = isRecord(decoder) ? readAddedToken(decoder[id]) : undefined;
    if (listed !== undefined)
      return { ...listed, normalized: false, special: special.has(listed.content), id };
    const flags = { normalized: false, single_word: false, lstrip: false, rstrip: false };
    return { ...flags, content: `<|reserved_token_${id}|>`, special: true, id };
  });
}
