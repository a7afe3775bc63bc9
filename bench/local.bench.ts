// Memory and start-up of the engine with a real model: `TINKEX_BENCH_MODEL=<a Hugging Face directory> pnpm bench local`, or with random
// weights of a public model's size: `TINKEX_BENCH_MODEL=qwen3-0.6b`, whose steps are of 2 rows of 256 tokens in place of 4 of 128.
// Each variant is a process of its own, whose most resident memory is read at its end; the cold one comes first and writes the
// file of weights that the others map. `sample`, `train` or `both` as arguments choose among them; so does `weights`, which measures
// float32, int8 and int4: a process of each for its memory, then all three in one process, in turns, for their speed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInProcessEngine } from "../packages/local/src/compute/in-process-engine.js";
import { greedySample } from "./greedy-sample.js";
import { SHAPES, writeRandomModel } from "./random-model.js";

type Work = "sample" | "train";

/** Rows of a step and tokens of each: 512 in all. */
const [ROWS, TIME] = process.env.TINKEX_BENCH_MODEL === "qwen3-0.6b" ? [2, 256] : [4, 128];
const NEW_TOKENS = 32;
const BATCH = 8;

const FORMATS = ["float32", "int8", "int4"] as const;
type Format = (typeof FORMATS)[number];

/** Turns of each form of weights, of which the best counts: others may use the machine. */
const TURNS = 8;

const VARIANTS: Readonly<Record<string, readonly Work[]>> = {
  sample: ["sample"],
  train: ["train"],
  both: ["sample", "train"],
};

async function startAll(model: string, chosen: readonly string[]): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), "tinkex-bench-local-"));
  try {
    const shape = SHAPES[model];
    if (shape !== undefined) await writeRandomModel(join(cache, model), shape);
    console.log(`${model}: milliseconds since the step before, megabytes resident and most so far`);
    run(["cold start", "start"], cache);
    run(["warm start", "start"], cache);
    for (const [name, parts] of Object.entries(VARIANTS))
      if (chosen.length === 0 || chosen.includes(name)) run([name, parts.join()], cache);
    if (chosen.length === 0 || chosen.includes("weights")) {
      for (const format of FORMATS) {
        run([`${format}, written`, "start"], cache, format);
        run([`${format}, samples`, "sample"], cache, format);
        run([`${format}, training`, "train"], cache, format);
      }
      run(["in turns", "turns"], cache);
    }
  } finally {
    rmSync(cache, { recursive: true });
  }
}

function run([name = "", parts = ""]: readonly string[], cache: string, format: Format = "float32"): void {
  console.log(name);
  const args = [...process.execArgv, fileURLToPath(import.meta.url), "measure", parts, cache, format];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
}

/** Tokens a second of each form of weights, one sample alone and a batch of them. */
async function measureInTurns(model: string, cache: string): Promise<void> {
  const engines = new Map<Format, Awaited<ReturnType<typeof openEngine>>>();
  for (const format of FORMATS) engines.set(format, await openEngine(model, cache, format));
  for (const sampleCount of [1, BATCH]) {
    const best = new Map<Format, number>();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [format, engine] of engines) {
        const since = performance.now();
        await engine.sample({ ...sampleTask, sampleCount });
        const speed = (NEW_TOKENS * sampleCount * 1000) / (performance.now() - since);
        best.set(format, Math.max(best.get(format) ?? 0, speed));
      }
    }
    const plain = best.get("float32") ?? Number.NaN;
    for (const [format, speed] of best) {
      const ratio = (speed / plain).toFixed(2);
      console.log(`  ${format}, batch of ${sampleCount}: ${speed.toFixed(1)} tokens/s, ${ratio} x float32`);
    }
  }
  for (const engine of engines.values()) await engine.close();
}

function openEngine(model: string, cacheDirectory: string, weights: Format) {
  const options = { model: { name: "bench", directory: model, weights }, threads: 2, cacheDirectory };
  return createInProcessEngine(options);
}

async function measure(
  model: string,
  parts: readonly string[],
  cache: string,
  format: Format,
): Promise<void> {
  let since = performance.now();
  const log = (what: string, tokens?: number) => {
    const ms = performance.now() - since;
    const speed = tokens === undefined ? "" : `, ${((tokens / ms) * 1000).toFixed(1)} tokens/s`;
    console.log(`  ${what}: ${ms.toFixed(0)} ms${speed}; ${resident()}`);
    since = performance.now();
  };
  const engine = await openEngine(model, cache, format);
  log("ready");
  if (parts.includes("sample")) {
    for (const [what, sampleCount] of [
      ["first sample", 1],
      ["one alone", 1],
      [`batch of ${BATCH}`, BATCH],
    ] as const) {
      await engine.sample({ ...sampleTask, sampleCount });
      log(what, NEW_TOKENS * sampleCount);
    }
  }
  if (parts.includes("train")) {
    const shape = { rank: 16, trainAttention: true, trainMlp: true, trainUnembedding: false };
    await engine.createAdapter("a", shape, 1);
    for (const what of ["first step", "second step"]) {
      await engine.pass({ adapterId: "a", data, loss: "cross_entropy", lossConfig: {}, forwardOnly: false });
      await engine.optimStep("a", adam);
      log(what, ROWS * TIME);
    }
  }
  await engine.close();
}

const sampleTask = greedySample(
  Array.from({ length: 40 }, (_, i) => 100 + i * 37),
  NEW_TOKENS,
);

const data = Array.from({ length: ROWS }, (_, row) => {
  const tokens = Int32Array.from({ length: TIME }, (_, i) => 50 + ((i * 31 + row * 977) % 3000));
  return {
    tokens,
    targets: tokens.map((token) => token + 1),
    targetsPerToken: 1,
    targetsAreMatrix: false,
    lossInputs: { weights: new Float32Array(TIME).fill(1) },
  };
});

const adam = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  gradientClipNorm: 0,
};

/** Resident memory now, how much of it is mapped files (which the system may drop), and the most so far. */
function resident(): string {
  const most = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  const now = (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
  if (process.platform !== "linux") return `${now} MB, at most ${most}`;
  const files = /RssFile:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return `${now} MB, ${(Number(files) / 1024).toFixed(0)} of them mapped files; at most ${most}`;
}

const directory = process.env.TINKEX_BENCH_MODEL;
const [role, works, cacheDirectory, weights] = process.argv.slice(2);
if (directory === undefined) console.log("TINKEX_BENCH_MODEL names no model directory: nothing is measured");
else if (role === "measure") {
  const model = directory in SHAPES ? join(cacheDirectory ?? "", directory) : directory;
  const format = FORMATS.find((name) => name === weights) ?? "float32";
  if (works === "turns") await measureInTurns(model, cacheDirectory ?? "");
  else await measure(model, (works ?? "").split(","), cacheDirectory ?? "", format);
} else await startAll(directory, process.argv.slice(2));
