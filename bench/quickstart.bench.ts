// Training speed: one forward and backward pass on each runtime, beside PyTorch eager on the same numbers.
// `pnpm bench quickstart [THREADS]`, 2 threads on every side unless told otherwise. Wants a machine with nothing else to
// do: PyTorch's threads wait for each other by spinning and lose most when they have to share the cores.
import { cpus } from "node:os";
import { zeroTensors } from "../packages/local/src/adapter/adapter-tensors.js";
import { crossEntropy } from "../packages/local/src/losses/cross-entropy.js";
import { createRuntime } from "../packages/local/src/runtime/create-runtime.js";
import type { RuntimeName } from "../packages/local/src/runtime/runtime.js";
import { createTrainer } from "../packages/local/src/training/trainer.js";
import { hasTorch, TorchBaseline } from "./torch-baseline.js";
import { type TrainingWork, trainingWork } from "./training-work.js";

const threads = Number(process.argv[2] ?? 2);
/** Rounds, in which every variant has its turn, go on for this long, but there are at least so many. */
const budgetMs = 15_000;
const leastRounds = 4;
const passesPerTurn = 4;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";

/** Something that does the work: gives loss and gradients for the check, and times for the rest. */
interface Variant {
  readonly name: string;
  check(): Promise<{ readonly loss: number; readonly gradients: Float32Array }>;
  time(passes: number): Promise<number[]>;
  close(): void | Promise<void>;
}

const works: Readonly<Record<string, TrainingWork>> = {
  "8 rows of 128 tokens, rank 8 on all layers": trainingWork(
    { rank: 8, trainAttention: true, trainMlp: true, trainUnembedding: false },
    Array.from({ length: 8 }, () => 128),
  ),
  "32 rows of 18 to 33 tokens, rank 32 on all layers and the unembedding": trainingWork(
    { rank: 32, trainAttention: true, trainMlp: true, trainUnembedding: true },
    Array.from({ length: 32 }, (_, row) => 18 + (row % 16)),
  ),
};

const torchAvailable = hasTorch(python);
console.log(
  `${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}, ${threads} threads on every side`,
);
if (!torchAvailable) {
  console.log(`PyTorch: skipped, "${python}" cannot import torch (name another in TINKEX_BENCH_PYTHON)`);
}
for (const [title, work] of Object.entries(works)) await compare(title, work);

async function compare(title: string, work: TrainingWork): Promise<void> {
  const variants = [await engineVariant("native", work), await engineVariant("wasm", work)];
  if (torchAvailable) variants.push(torchVariant(work));
  try {
    await checkResults(variants);
    const times = new Map(variants.map(({ name }) => [name, [] as number[]]));
    for (const { time } of variants) await time(1); // warm up
    const end = performance.now() + budgetMs;
    for (let round = 0; round < leastRounds || performance.now() < end; round++) {
      for (const { name, time } of variants) times.get(name)?.push(...(await time(passesPerTurn)));
    }
    const tokens = work.data.reduce((sum, datum) => sum + datum.tokens.length, 0);
    report(`${title} (${tokens} tokens): forward + backward`, tokens, times);
  } finally {
    for (const { close } of variants) await close();
  }
}

/** Ratios are of best times, which a busy machine disturbs least. */
function report(title: string, tokens: number, times: ReadonlyMap<string, readonly number[]>): void {
  const reference = torchAvailable ? "PyTorch" : "wasm";
  const referenceMs = Math.min(...(times.get(reference) ?? []));
  console.log(`\n${title}`);
  for (const [name, all] of times) {
    const best = Math.min(...all);
    const columns = [
      name.padEnd(8),
      `best ${best.toFixed(1)} ms`.padStart(14),
      `median ${median(all).toFixed(1)} ms`.padStart(18),
      `${Math.round((tokens / best) * 1000).toLocaleString("en")} tokens/s`.padStart(18),
      `${(referenceMs / best).toFixed(2)} x ${reference}`.padStart(16),
    ];
    console.log(`  ${columns.join("")}`);
  }
}

async function engineVariant(name: RuntimeName, work: TrainingWork): Promise<Variant> {
  const { config, parameters, data } = work;
  const weights = {
    get(tensor: string) {
      const found = work.weights.get(tensor);
      if (found === undefined) throw new Error(`The work has no tensor "${tensor}".`);
      return found;
    },
  };
  const runtime = await createRuntime({ runtime: name, threads });
  const trainer = createTrainer({ config, weights, runtime });
  const gradients = zeroTensors(parameters);
  const pass = () => trainer.pass({ parameters, data, loss: crossEntropy, lossConfig: {}, gradients });
  return {
    name,
    async check() {
      const { lossSum } = await pass();
      const numbers = gradients.flatMap(({ a, b }) => [...a, ...b]);
      return { loss: lossSum, gradients: Float32Array.from(numbers) };
    },
    async time(passes) {
      const times: number[] = [];
      for (let index = 0; index < passes; index++) {
        const start = performance.now();
        await pass();
        times.push(performance.now() - start);
      }
      return times;
    },
    close: () => trainer.release(),
  };
}

function torchVariant(work: TrainingWork): Variant {
  const torch = new TorchBaseline(python, work, threads);
  return {
    name: "PyTorch",
    check: () => torch.check(),
    time: (passes) => torch.time(passes),
    close: () => torch.close(),
  };
}

/** All variants must find the loss and the gradients of the first, to the tolerances of the recorded truth. */
async function checkResults(variants: readonly Variant[]): Promise<void> {
  const [first, ...others] = await Promise.all(
    variants.map(async (variant) => ({ name: variant.name, ...(await variant.check()) })),
  );
  if (first === undefined) return;
  const largest = first.gradients.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  for (const { name, loss, gradients } of others) {
    const lossError = Math.abs(loss - first.loss) / Math.abs(first.loss);
    const gradientError = gradients.reduce(
      (max, value, index) => Math.max(max, Math.abs(value - (first.gradients[index] ?? Number.NaN))),
      0,
    );
    if (
      !(lossError < 1e-5) ||
      !(gradientError < 5e-5 * largest) ||
      gradients.length !== first.gradients.length
    ) {
      throw new Error(
        `${name} and ${first.name} disagree: loss ${loss} and ${first.loss}, gradients by ${gradientError}.`,
      );
    }
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
