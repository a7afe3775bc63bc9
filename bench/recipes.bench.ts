// Costs of recipes: a supervised step through `sft` against the same calls by hand (goal: ≤ 1.05 times), 10,000 trajectories of 1,000 tokens as
// datums beside the Python cookbook's (skipped where it is not installed; TINKEX_BENCH_PYTHON names the interpreter), and the memory in which
// 100 MB of chats are read (goal: < 150 MB). Results are checked first. `pnpm bench recipes`
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { lossOf, ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { type PolicyDatum, sft, trajectoryDatums } from "@tinkex/recipes";
import { Datum } from "@tinkex/types";

const run = promisify(execFile);
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const STEPS = 30;
const BATCH_SIZE = 8;
const ROUNDS = 8;
const STEP_GOAL = 1.05;
const TRAJECTORIES = 10_000;
const FILE_BYTES = 100e6;
const RSS_GOAL_MB = 150;

function report(line: string, isGood = true): void {
  console.log(`${line}${isGood ? "" : "  MISSED"}`);
  if (!isGood) process.exitCode = 1;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Examples of 64 tokens. */
const data = Array.from({ length: STEPS * BATCH_SIZE }, (_, example) => {
  const tokens = Array.from({ length: 65 }, (_, place) => 97 + ((example * 7 + place * 3) % 26));
  return Datum.of(tokens.slice(0, -1), {
    target_tokens: { data: tokens.slice(1), dtype: "int64" },
    weights: { data: tokens.slice(1).map(() => 1 / 64), dtype: "float32" },
  });
});
const settings = { rank: 8, seed: 1, learningRate: 1e-3 };
const adam = { beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };

async function byRecipe(service: ServiceClient, model: string): Promise<number> {
  const { metrics } = await sft({
    ...{ service, model, train: data, batchSize: BATCH_SIZE, saveEvery: 0, evaluateEvery: 0 },
    ...{ ...settings, schedule: "constant" },
  });
  return metrics.train_mean_nll ?? Number.NaN;
}

/** The calls of the recipe, each step submitted before the last one's results are read. @param batches - in the recipe's order */
async function byHand(
  service: ServiceClient,
  base_model: string,
  batches: readonly (readonly Datum[])[],
): Promise<number> {
  const { rank, seed, learningRate: learning_rate } = settings;
  const training = await service.createLoraTrainingClient({ base_model, rank, seed });
  let loss = Number.NaN;
  const finish = async ({ pass, update }: ReturnType<typeof submit>): Promise<void> => {
    const [output] = await Promise.all([pass, update]);
    loss = (lossOf(output)?.value ?? Number.NaN) / BATCH_SIZE;
  };
  const submit = (batch: readonly Datum[]) => ({
    pass: training.forwardBackward(batch, "cross_entropy"),
    update: training.optimStep({ ...adam, learning_rate }),
  });
  let waiting: ReturnType<typeof submit> | undefined;
  for (const batch of batches) {
    const next = submit(batch);
    if (waiting !== undefined) await finish(waiting);
    waiting = next;
  }
  const saves = [training.saveState("final"), training.saveWeightsForSampler("final")] as const;
  if (waiting !== undefined) await finish(waiting);
  const [, sampler] = await Promise.all(saves);
  await service.createSamplingClient({ model_path: sampler.path });
  return loss;
}

/** The batches that the recipe trains on, in its order. */
async function batchesOfRecipe(service: ServiceClient, model: string): Promise<(readonly Datum[])[]> {
  const batches: (readonly Datum[])[] = [];
  const watched = new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "createLoraTrainingClient") return member.bind(target);
      return async (...args: unknown[]) => {
        const training: object = await Reflect.apply(member, target, args);
        return new Proxy(training, {
          get(client, call) {
            const method: unknown = Reflect.get(client, call, client);
            if (typeof method !== "function") return method;
            return (...given: unknown[]) => {
              if (call === "forwardBackward") batches.push(given[0] as readonly Datum[]); // as the recipe sends it
              return Reflect.apply(method, client, given);
            };
          },
        });
      };
    },
  });
  await byRecipe(watched, model);
  return batches;
}

async function benchSteps(): Promise<void> {
  const server = await startLocalServer({ seed: 1 });
  const service = new ServiceClient({ baseUrl: server.url, env: {} });
  const model = "tinkex/pocket-1";
  try {
    const batches = await batchesOfRecipe(service, model);
    const ways = [() => byRecipe(service, model), () => byHand(service, model, batches)] as const;
    // The results first, which warms both ways up.
    const [found = 0, wanted = 1] = [await ways[0](), await ways[1]()];
    if (!(Math.abs(found - wanted) <= 1e-6)) throw new Error(`the losses differ: ${found} and ${wanted}`);
    const timed = async (work: () => Promise<number>): Promise<number> => {
      const startedAt = performance.now();
      await work();
      return (performance.now() - startedAt) / STEPS;
    };
    const rounds: { readonly recipe: number; readonly hand: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each way is first in half of the rounds: a machine that slows down is unfair to the second.
      if (round % 2 === 0) rounds.push({ recipe: await timed(ways[0]), hand: await timed(ways[1]) });
      else {
        const hand = await timed(ways[1]);
        rounds.push({ recipe: await timed(ways[0]), hand });
      }
    }
    const [recipe, hand] = [median(rounds.map((one) => one.recipe)), median(rounds.map((one) => one.hand))];
    // Of the two that were measured one after the other, since the machine may be busier later.
    const ratio = median(rounds.map((one) => one.recipe / one.hand));
    report(
      `a step of ${BATCH_SIZE} × 64 tokens: sft ${recipe.toFixed(2)} ms, by hand ${hand.toFixed(2)} ms, ${ratio.toFixed(3)} times (goal ≤ ${STEP_GOAL})`,
      ratio <= STEP_GOAL,
    );
  } finally {
    await service.close();
    await server.close();
  }
}

/** Sums of targets, log-probabilities and advantages. */
function checksumOf(data: readonly PolicyDatum[]): readonly number[] {
  const sumOf = (values: ArrayLike<number | bigint>) =>
    Array.from(values, Number).reduce((sum, value) => sum + value, 0);
  const sums = data.map(({ datum, logprobs, advantages }) => [
    sumOf(datum.loss_fn_inputs.target_tokens?.data ?? []),
    sumOf(logprobs),
    sumOf(advantages),
  ]);
  return [0, 1, 2].map((column) => sumOf(sums.map((row) => row[column] ?? Number.NaN)));
}

async function benchTrajectories(): Promise<void> {
  const trajectories = Array.from({ length: 100 }, (_, number) => ({
    prompt: Array.from({ length: 500 }, (_, place) => (number * 31 + place) % 50_000),
    tokens: Array.from({ length: 500 }, (_, place) => (number * 17 + place * 7) % 50_000),
    logprobs: Array.from({ length: 500 }, (_, place) => -((number + place) % 100) / 97),
    sequenceId: `s${number}`,
  }));
  let tokens = 0;
  const startedAt = performance.now();
  for (let number = 0; number < TRAJECTORIES; number += 1) {
    const transition = trajectories[number % 100];
    if (transition === undefined) continue;
    for (const { mask } of trajectoryDatums([transition], (number % 3) - 1)) tokens += mask.length;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const own = checksumOf(trajectories.flatMap((transition) => trajectoryDatums([transition], 1)));
  if (tokens !== TRAJECTORIES * 999) throw new Error(`${tokens} tokens, wanted ${TRAJECTORIES * 999}`);
  report(`10,000 trajectories of 1,000 tokens: ${seconds.toFixed(2)} s`);
  const read = await run(python, [beside("recipes_python.py"), String(TRAJECTORIES)]).catch(() => undefined);
  if (read === undefined) {
    report(
      `tinker-cookbook: skipped, "${python}" cannot import tinker_cookbook (name another in TINKEX_BENCH_PYTHON)`,
    );
    return;
  }
  const theirs = JSON.parse(read.stdout);
  if (theirs.tokens !== tokens) throw new Error(`tinker-cookbook has ${theirs.tokens} tokens`);
  for (const [index, name] of (["targets", "logprobs", "advantages"] as const).entries()) {
    const [mine = 0, other = Number(theirs.checksum[index])] = [own[index]];
    if (!(Math.abs(mine - other) <= 1e-6 * Math.abs(mine)))
      throw new Error(`the ${name} add up to ${mine}, those of tinker-cookbook to ${other}`);
  }
  report(
    `tinker-cookbook: ${theirs.seconds.toFixed(2)} s, ${(theirs.seconds / seconds).toFixed(1)} times as long`,
  );
}

async function benchReading(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tinkex-bench-recipes-"));
  try {
    const path = join(folder, "chats.jsonl");
    const file = createWriteStream(path);
    let count = 0;
    let letters = 0;
    for (let size = 0; size < FILE_BYTES; count += 1) {
      const content = "answer ".repeat(1 + (count % 100));
      const line = `${JSON.stringify({
        messages: [
          { role: "user", content: `question ${count}` },
          { role: "assistant", content },
        ],
      })}\n`;
      size += line.length;
      letters += content.length;
      if (!file.write(line)) await once(file, "drain");
    }
    file.end();
    await finished(file);
    const startedAt = performance.now();
    const { stdout } = await run(process.execPath, [beside("recipes-read.mjs"), path]);
    const seconds = (performance.now() - startedAt) / 1000;
    const read = JSON.parse(stdout);
    if (read.count !== count || read.letters !== letters)
      throw new Error(`read ${stdout}, wanted ${count} chats`);
    const megabytes = (read.maxRssKb * 1024) / 1e6;
    report(
      `100 MB of chats: ${count} read in ${seconds.toFixed(2)} s and ${megabytes.toFixed(0)} MB (goal < ${RSS_GOAL_MB} MB)`,
      megabytes < RSS_GOAL_MB,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

await benchTrajectories();
await benchSteps();
await benchReading();
