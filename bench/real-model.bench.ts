// The engine with a real model beside PyTorch (`transformers` and PEFT), in turns: training steps of 4 rows of 128 tokens, with weights
// on all tokens and on a third of them, greedy samples alone and eight at a time, and the matrix products of the machine at their best.
// `TINKEX_BENCH_MODEL=<a Hugging Face directory> TINKEX_BENCH_PYTHON=<with torch, transformers, peft> pnpm bench real-model [THREADS]`.
// First it compares: the loss of the first step, and ten greedy answers token for token.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createInProcessEngine } from "../packages/local/src/compute/in-process-engine.js";
import { readModelConfig } from "../packages/local/src/model/read-model-config.js";
import { linearMatrices } from "../packages/local/src/model/weight-shapes.js";
import { greedySample } from "./greedy-sample.js";

const directory = process.env.TINKEX_BENCH_MODEL;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";
const threads = Number(process.argv[2] ?? 2);
const ROUNDS = 5;
const ROWS = 4;
const TIME = 128;
const NEW_TOKENS = 32;
const ANSWERS = 10;
/** Largest difference of the first losses, as a part of them. */
const TOLERANCE = 1e-4;

interface Row {
  readonly tokens: number[];
  readonly targets: number[];
  readonly weights: number[];
}

/** PyTorch, in a process of its own that waits while others are timed. */
class Torch {
  readonly #child = spawn(
    python,
    [fileURLToPath(new URL("real_model_torch.py", import.meta.url)), directory ?? "", String(threads)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  readonly #lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();

  async answer<Answer>(job?: object): Promise<Answer> {
    if (job !== undefined) this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the Python process ended; its message is above");
    // As real_model_torch.py says for each kind of job.
    return JSON.parse(value) as Answer;
  }

  close(): void {
    this.#child.stdin.end();
  }
}

const rowOf = (row: number, isWeighted: (at: number) => boolean): Row => {
  const tokens = Array.from({ length: TIME + 1 }, (_, at) => 50 + ((at * 31 + row * 977) % 3000));
  const weights = Array.from({ length: TIME }, (_, at) => (isWeighted(at) ? 1 : 0));
  return { tokens: tokens.slice(0, -1), targets: tokens.slice(1), weights };
};
const rowsWith = (isWeighted: (at: number) => boolean) =>
  Array.from({ length: ROWS }, (_, row) => rowOf(row, isWeighted));
const promptsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => Array.from({ length: 40 }, (_, i) => 100 + i * 37 + at));

const adam = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  gradientClipNorm: 0,
};

if (directory === undefined) console.log("TINKEX_BENCH_MODEL names no model directory: nothing is measured");
else if (spawnSync(python, ["-c", "import torch, transformers, peft"], { stdio: "ignore" }).status !== 0)
  console.log(
    `skipped: "${python}" cannot import torch, transformers and peft (name another in TINKEX_BENCH_PYTHON)`,
  );
else await compare(directory);

async function compare(model: string): Promise<void> {
  const cacheDirectory = mkdtempSync(join(tmpdir(), "tinkex-bench-real-"));
  const torch = new Torch();
  const engine = await createInProcessEngine({
    model: { name: "bench", directory: model },
    threads,
    cacheDirectory,
  });
  try {
    console.log(JSON.stringify(await torch.answer()));
    const shape = { rank: 16, trainAttention: true, trainMlp: true, trainUnembedding: false };
    await engine.createAdapter("a", shape, 1);
    const train = async (rows: readonly Row[]) => {
      const data = rows.map(({ tokens, targets, weights }) => ({
        tokens: Int32Array.from(tokens),
        targets: Int32Array.from(targets),
        targetsPerToken: 1,
        targetsAreMatrix: false,
        lossInputs: { weights: Float32Array.from(weights) },
      }));
      const since = performance.now();
      const pass = {
        adapterId: "a",
        data,
        loss: "cross_entropy",
        lossConfig: {},
        forwardOnly: false,
      } as const;
      const { lossSum } = await engine.pass(pass);
      await engine.optimStep("a", adam);
      return { ms: performance.now() - since, loss: lossSum };
    };
    const generate = async (prompts: readonly number[][]) => {
      const since = performance.now();
      const outcomes = await Promise.all(
        prompts.map((prompt) => engine.sample(greedySample(prompt, NEW_TOKENS))),
      );
      return {
        ms: performance.now() - since,
        tokens: outcomes.flatMap(({ sequences }) => sequences.map(({ tokens }) => [...tokens])),
      };
    };
    const all = rowsWith(() => true);
    const third = rowsWith((at) => at % 3 === 0);
    const works = {
      "training, all tokens weighted": [() => train(all), { train: all }, ROWS * TIME],
      "training, a third weighted": [() => train(third), { train: third }, ROWS * TIME],
      "samples, one alone": [
        () => generate(promptsOf(1)),
        { generate: promptsOf(1), length: NEW_TOKENS },
        NEW_TOKENS,
      ],
      "samples, eight at a time": [
        () => generate(promptsOf(8)),
        { generate: promptsOf(8), length: NEW_TOKENS },
        8 * NEW_TOKENS,
      ],
    } as const;
    await checkLoss((await train(all)).loss, torch, all);
    await checkAnswers(generate, torch);
    const best = new Map<string, { ours: number; theirs: number }>();
    let peak = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, [ours, theirs]] of Object.entries(works)) {
        const before = best.get(name) ?? { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
        const { ms } = await torch.answer<{ ms: number }>(theirs);
        best.set(name, {
          ours: Math.min(before.ours, (await ours()).ms),
          theirs: Math.min(before.theirs, ms),
        });
      }
      peak = Math.max(peak, (await torch.answer<{ gflops: number }>({ peak: 5 })).gflops);
    }
    for (const [name, [, , tokens]] of Object.entries(works)) {
      const { ours = Number.NaN, theirs = Number.NaN } = best.get(name) ?? {};
      const speed = (ms: number) => `${((1000 * tokens) / ms).toFixed(1)} tokens/s`;
      console.log(`${name}: ${speed(ours)}, PyTorch ${speed(theirs)}: ${(theirs / ours).toFixed(2)} x`);
    }
    const gflops =
      productsOf(model) / ((best.get("training, all tokens weighted")?.ours ?? Number.NaN) * 1e6);
    console.log(
      `matrix products of a step: ${gflops.toFixed(0)} of ${peak.toFixed(0)} GFLOP/s, ${((100 * gflops) / peak).toFixed(0)} %`,
    );
  } finally {
    await engine.close();
    torch.close();
    rmSync(cacheDirectory, { recursive: true });
  }
}

async function checkLoss(ours: number, torch: Torch, rows: readonly Row[]): Promise<void> {
  const { loss } = await torch.answer<{ loss: number }>({ train: rows });
  if (Math.abs(ours - loss) > TOLERANCE * loss)
    throw new Error(`the first losses differ: ${ours} and ${loss}`);
  console.log(`loss of the first step: ${ours.toFixed(3)}, PyTorch ${loss.toFixed(3)}`);
}

/** From the base model: adapters begin as it, and go on from different numbers. */
async function checkAnswers(
  generate: (prompts: readonly number[][]) => Promise<{ readonly tokens: readonly number[][] }>,
  torch: Torch,
): Promise<void> {
  let equal = 0;
  for (const prompt of promptsOf(ANSWERS)) {
    const [ours] = (await generate([prompt])).tokens;
    const [theirs] = (await torch.answer<{ tokens: number[][] }>({ generate: [prompt], length: NEW_TOKENS }))
      .tokens;
    if (String(ours) === String(theirs)) equal += 1;
  }
  console.log(`greedy answers: ${equal} of ${ANSWERS} token for token those of transformers`);
  if (equal < ANSWERS) process.exitCode = 1;
}

/** Multiplications and additions of a step's products with frozen matrices: forward, and backward to their input. */
function productsOf(model: string): number {
  const numbers = linearMatrices(readModelConfig(model)).reduce(
    (sum, { shape }) => sum + shape[0] * shape[1],
    0,
  );
  return 4 * numbers * ROWS * TIME;
}
