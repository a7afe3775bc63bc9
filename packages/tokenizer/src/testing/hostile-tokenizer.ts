type Random = () => number;

const PATTERN_PARTS = [
  "a",
  "b",
  ".",
  "\\s",
  "\\S",
  "\\w",
  "\\d",
  "\\p{L}",
  "[^a]",
  "[a-z]",
  "a+",
  "a*",
  "(a+)",
  "(a|b)",
  "(a|aa)",
  "(?:ab?)",
  "\\b",
  "^",
  "$",
  "(?=a)",
  "(?!b)",
  "(?<=a)",
  "(?i:a)",
  "\\1",
  "[[:alpha:]]",
  "x{1,9}",
  "a{3}",
  "\\r\\n",
];
const QUANTIFIERS = ["", "", "", "+", "*", "?", "+?", "*+", "{2,}", "{0,200}", "{1000}"];

function pick<T>(random: Random, list: readonly T[], otherwise: T): T {
  return list[Math.floor(random() * list.length)] ?? otherwise;
}

function pattern(random: Random, depth = 3): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const part =
      depth > 0 && random() < 0.4 ? `(${pattern(random, depth - 1)})` : pick(random, PATTERN_PARTS, "a");
    return part + pick(random, QUANTIFIERS, "");
  });
  return random() < 0.2 ? parts.join("|") : parts.join("");
}

function text(random: Random): string {
  return pick(
    random,
    ["a", "b", " ", "", "▁", "ab", "😀", "$&", "##a", "<0x41>", "Ġ", "\u0000", "é"],
    "a",
  ).repeat(random() < 0.05 ? 2_000 : 1 + Math.floor(random() * 3));
}

const NORMALIZERS = [
  "NFC",
  "NFD",
  "NFKC",
  "NFKD",
  "Lowercase",
  "StripAccents",
  "Strip",
  "BertNormalizer",
  "Precompiled",
  "Replace",
  "Prepend",
  "Sequence",
  "Telepathy",
];
const PRE_TOKENIZERS = [
  "BertPreTokenizer",
  "Whitespace",
  "WhitespaceSplit",
  "Metaspace",
  "ByteLevel",
  "Split",
  "Punctuation",
  "Digits",
  "Replace",
  "FixedLength",
  "Sequence",
  "UnicodeScripts",
];
const DECODERS = [
  "ByteLevel",
  "WordPiece",
  "Metaspace",
  "BPEDecoder",
  "CTC",
  "Replace",
  "Fuse",
  "Strip",
  "ByteFallback",
  "Sequence",
];
const POST_PROCESSORS = [
  "TemplateProcessing",
  "ByteLevel",
  "BertProcessing",
  "RobertaProcessing",
  "Sequence",
];

function part(random: Random, types: readonly string[], depth = 3): unknown {
  if (random() < 0.03) return pick<unknown>(random, [null, 1, "a", [], {}, { type: 1 }], null);
  const flag = () => pick<unknown>(random, [true, false, null, "yes"], true);
  const count = () => pick<unknown>(random, [0, 1, 3, -1, 1.5, 1e9, "2", null], 1);
  const inner = () => Array.from({ length: Math.floor(random() * 5) }, () => part(random, types, depth - 1));
  const list =
    depth <= 0
      ? []
      : random() < 0.1
        ? Array.from({ length: 60 }, () => part(random, types.slice(-3), 0))
        : inner();
  return {
    type: pick(random, types, "NFC"),
    pattern: random() < 0.7 ? { Regex: pattern(random) } : { String: text(random) },
    content: text(random),
    prepend: text(random),
    replacement: text(random),
    behavior: pick(
      random,
      ["Isolated", "Removed", "MergedWithNext", "MergedWithPrevious", "Contiguous", "isolated", "x"],
      "",
    ),
    invert: flag(),
    length: count(),
    individual_digits: flag(),
    use_regex: flag(),
    add_prefix_space: flag(),
    prepend_scheme: pick(random, ["always", "first", "never"], ""),
    strip_left: flag(),
    strip_right: flag(),
    lowercase: flag(),
    clean_text: flag(),
    handle_chinese_chars: flag(),
    precompiled_charsmap: text(random),
    start: count(),
    stop: count(),
    suffix: text(random),
    prefix: text(random),
    cleanup: flag(),
    pad_token: text(random),
    word_delimiter_token: text(random),
    single: [
      { SpecialToken: { id: text(random) } },
      { Sequence: { id: "A" } },
      pick<unknown>(random, [1, {}, null], 1),
    ],
    sep: ["[SEP]", 1],
    cls: ["[CLS]", 2],
    normalizers: list,
    pretokenizers: list,
    decoders: list,
    processors: list,
  };
}

function model(random: Random): unknown {
  const words = Array.from({ length: Math.floor(random() * 30) }, () => text(random));
  const id = () => pick(random, [0, 1, 2, 3, 70_000, 2 ** 31, -1, 0.5], 0);
  const nested = Array.from({ length: 200 }, (_, index) => "a".repeat(index + 1));
  const tokens = random() < 0.1 ? nested : words;
  const shared = {
    unk_token: text(random),
    unk_id: pick<unknown>(random, [0, 1, 99, null, "a"], 0),
    byte_fallback: random() < 0.5,
    fuse_unk: random() < 0.3,
    max_input_chars_per_word: pick<unknown>(random, [100, 1e9, 0, -1, "a", null], 100),
    continuing_subword_prefix: text(random),
    end_of_word_suffix: random() < 0.3 ? text(random) : null,
    ignore_merges: random() < 0.3,
    merges: Array.from({ length: Math.floor(random() * 20) }, () =>
      random() < 0.5 ? `${text(random)} ${text(random)}` : [text(random), text(random)],
    ),
  };
  switch (Math.floor(random() * 4)) {
    case 0:
      return {
        ...shared,
        type: "Unigram",
        vocab: tokens.map((token) => [token, random() < 0.95 ? -random() * 9 : "x"]),
      };
    case 1:
      return {
        ...shared,
        type: "WordPiece",
        vocab: Object.fromEntries(
          tokens.flatMap((token, index) => [
            [token, index],
            [`##${token}`, index + 500],
          ]),
        ),
      };
    case 2:
      return {
        ...shared,
        type: pick(random, ["WordLevel", "Magic", "BPE"], "BPE"),
        vocab: Object.fromEntries(tokens.map((token) => [token, id()])),
      };
    default:
      return {
        ...shared,
        type: "BPE",
        vocab: Object.fromEntries(tokens.map((token, index) => [token, index])),
      };
  }
}

function addedTokens(random: Random): unknown[] {
  return Array.from({ length: random() < 0.05 ? 3_000 : Math.floor(random() * 6) }, (_, index) => ({
    id: random() < 0.95 ? 1_000 + index : "x",
    content: text(random) + (random() < 0.5 ? String(index) : ""),
    special: random() < 0.5,
    normalized: random() < 0.5,
    single_word: random() < 0.3,
    lstrip: random() < 0.3,
    rstrip: random() < 0.3,
  }));
}

/** Makes the content of a tokenizer.json that is hostile: mutated from a sound one, or of parts that do much. */
export function hostileTokenizer(random: Random, sound: Readonly<Record<string, unknown>>): unknown {
  const made: Record<string, unknown> = random() < 0.3 ? { ...sound } : {};
  if (made.model === undefined || random() < 0.3) made.model = model(random);
  if (random() < 0.6) made.normalizer = part(random, NORMALIZERS);
  if (random() < 0.6) made.pre_tokenizer = part(random, PRE_TOKENIZERS);
  if (random() < 0.6) made.decoder = part(random, DECODERS);
  if (random() < 0.3) made.post_processor = part(random, POST_PROCESSORS);
  if (random() < 0.5) made.added_tokens = addedTokens(random);
  if (random() < 0.03)
    made[pick(random, ["model", "normalizer", "decoder", "added_tokens"], "model")] = pick<unknown>(
      random,
      [null, 1, [], {}, "a"],
      1,
    );
  return made;
}
