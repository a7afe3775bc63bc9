// Cost of reporting to the service for calls that succeed: samples of a client with a reporter beside those of one without, and of a
// second one without as the control, whose distance from 1 is the error of the measurement. Goals: processor time and p99 ≤ 1.02 x.
// Processor time is that of short rounds of one variant alone, which take turns in every order and pay for their own garbage. Latency is
// that of single calls, which take turns in every order too: a pause of the machine is longer than a round, and meets all variants alike
// only so; what a reporter does beside calls is in the processor time. Each block has new clients, so that no variant keeps a lucky
// connection. Results are checked.
// `pnpm bench telemetry`: some four minutes, on a machine with nothing else to do. `pnpm bench telemetry 1` measures one block.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ServiceClient } from "@tinkex/client";
import { ServiceReporter } from "@tinkex/telemetry";

const GOAL = 1.02;
const BLOCKS = Number(process.argv[2] ?? 6);
const WARM_UP_SAMPLES = 1_500;
/** Rounds of a block that measure processor time: samples as fast as they can be done. */
const BUSY_ROUNDS = 60;
const BUSY_SAMPLES = 100;
const AT_ONCE = 20;
/** Rounds of a block that measure latency: samples begin at their time, however long others take, far below what can be done. */
const PACED_ROUNDS = 160;
const PACED_SAMPLES = 30;
const PACE_MS = 2;
const RESAMPLINGS = 400;
/** Share of the resampled ratios within the interval that is printed. */
const CONFIDENCE = 0.95;

setFlagsFromString("--expose-gc");
// Room for the garbage of a round.
setFlagsFromString("--max-semi-space-size=64");
setFlagsFromString("--min-semi-space-size=64");
const collectGarbage: (options?: { readonly type: "minor" }) => void = runInNewContext("gc");

const server = fork(join(import.meta.dirname, "client-server.mjs"), ["0"], { execArgv: [] });
const [{ ports }] = (await once(server, "message")) as [{ readonly ports: readonly number[] }];
const [port] = ports;
const baseUrl = `http://127.0.0.1:${port}`;

const VARIANTS = ["without", "without, the control", "with a reporter"] as const;
/** A figure of each variant. */
type Trio<T> = [T, T, T];
/** Every order of three, each after its mirror image. */
const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [0, 2, 1],
  [2, 0, 1],
  [1, 0, 2],
] as const;

interface Sampler {
  readonly service: ServiceClient;
  readonly sample: (index: number) => Promise<void>;
}

async function open(telemetry: ServiceReporter | false): Promise<Sampler> {
  const service = new ServiceClient({ baseUrl, apiKey: "tml-bench", telemetry });
  const sampler = await service.createSamplingClient({ base_model: "Qwen/Qwen3-8B" });
  const sample = async (index: number): Promise<void> => {
    const { sequences } = await sampler.sample({
      prompt: [index, 2, 3],
      sampling_params: { max_tokens: 64 },
    });
    if (sequences[0]?.tokens[0] !== index) throw new Error(`sample ${index} got the result of another`);
  };
  return { service, sample };
}

/** Opens the three clients, whose connections and polls keep the places in which they were opened. */
async function openInOrder(order: readonly (0 | 1 | 2)[]): Promise<Trio<Sampler>> {
  const samplers = new Map<number, Sampler>();
  for (const variant of order)
    samplers.set(variant, await open(variant === 2 ? new ServiceReporter() : false));
  const opened = (variant: number): Sampler => {
    const sampler = samplers.get(variant);
    if (sampler === undefined) throw new Error(`variant ${variant} was not opened`);
    return sampler;
  };
  return [opened(0), opened(1), opened(2)];
}

/** Does samples, some at once, and collects their garbage. Gives the milliseconds of processor time of one. */
async function busyRound({ sample }: Sampler, samples = BUSY_SAMPLES): Promise<number> {
  let next = 0;
  const cpu = process.cpuUsage();
  const work = async (): Promise<void> => {
    while (next < samples) {
      next += 1;
      await sample(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  collectGarbage({ type: "minor" });
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1_000 / samples;
}

/** Begins samples of all variants at their times, in every order. Gives the milliseconds that each took, by variant. */
function pacedRound(samplers: Trio<Sampler>, round: number): Promise<Trio<Float64Array>> {
  const tookMs: Trio<Float64Array> = [
    new Float64Array(PACED_SAMPLES),
    new Float64Array(PACED_SAMPLES),
    new Float64Array(PACED_SAMPLES),
  ];
  const calls = Array.from({ length: PACED_SAMPLES }, (_, index) =>
    (ORDERS[(index + round) % ORDERS.length] ?? []).map((variant) => ({ variant, index })),
  ).flat();
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    let begun = 0;
    let done = 0;
    const begin = async ({ variant, index }: { variant: 0 | 1 | 2; index: number }): Promise<void> => {
      const beganAtMs = performance.now();
      await samplers[variant].sample(index + 1);
      tookMs[variant][index] = performance.now() - beganAtMs;
      done += 1;
      if (done === calls.length) resolve(tookMs);
    };
    const timer = setInterval(() => {
      while (begun < calls.length && performance.now() - startedAtMs >= begun * PACE_MS) {
        for (const call of calls.slice(begun, begun + 1)) begin(call).catch(reject);
        begun += 1;
      }
      if (begun === calls.length) clearInterval(timer);
    }, 1);
  });
}

/** Does a round of each variant, in one of the orders. */
async function busyRounds(samplers: Trio<Sampler>, round: number): Promise<Trio<number>> {
  const cpuMs: Trio<number> = [0, 0, 0];
  for (const variant of ORDERS[round % ORDERS.length] ?? []) {
    cpuMs[variant] = await busyRound(samplers[variant]);
  }
  return cpuMs;
}

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
const sorted = (values: Iterable<number>): Float64Array => Float64Array.from(values).sort();
const median = (values: Iterable<number>): number => at(sorted(values), 0.5);

/** The p99 of all samples of some rounds together. */
function pooledP99(rounds: readonly Float64Array[]): number {
  const all = new Float64Array(rounds.length * PACED_SAMPLES);
  for (const [index, round] of rounds.entries()) all.set(round, index * PACED_SAMPLES);
  return at(all.sort(), 0.99);
}

interface Ratio {
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
}

/** Gives a ratio of two variants, and the interval in which it lies when as many rounds are drawn from them at random. */
function ratioOf<T>(rounds: readonly Trio<T>[], ratio: (rounds: readonly Trio<T>[]) => number): Ratio {
  const drawn = Array.from({ length: RESAMPLINGS }, () =>
    ratio(
      rounds.flatMap(() => {
        const index = Math.floor(Math.random() * rounds.length);
        return rounds.slice(index, index + 1);
      }),
    ),
  );
  const inOrder = sorted(drawn);
  const outside = (1 - CONFIDENCE) / 2;
  return { ratio: ratio(rounds), least: at(inOrder, outside), most: at(inOrder, 1 - outside) };
}

function report(what: string, unit: string, values: Trio<number>, control: Ratio, reported: Ratio): void {
  const line = (name: string, value: number, ratio?: Ratio): void => {
    const compared =
      ratio === undefined
        ? ""
        : `${ratio.ratio.toFixed(3)} x  (${ratio.least.toFixed(3)} to ${ratio.most.toFixed(3)})`;
    console.log(`  ${name.padEnd(24)} ${value.toFixed(4).padStart(9)} ${unit}  ${compared}`);
  };
  console.log(what);
  line(VARIANTS[0], values[0]);
  line(VARIANTS[1], values[1], control);
  line(VARIANTS[2], values[2], reported);
  if (reported.ratio <= GOAL) console.log(`  holds: ≤ ${GOAL} x`);
  else if (reported.least <= GOAL) console.log(`  not told apart from ${GOAL} x by this run`);
  else {
    console.log(`  does not hold: more than ${GOAL} x`);
    process.exitCode = 1;
  }
}

const busy: Trio<number>[] = [];
const paced: Trio<Float64Array>[] = [];
for (let block = 0; block < BLOCKS; block += 1) {
  const samplers = await openInOrder(ORDERS[block % ORDERS.length] ?? ORDERS[0]);
  for (const sampler of samplers) await busyRound(sampler, WARM_UP_SAMPLES);
  collectGarbage();
  for (let round = 0; round < BUSY_ROUNDS; round += 1) busy.push(await busyRounds(samplers, round));
  for (let round = 0; round < PACED_ROUNDS; round += 1) {
    paced.push(await pacedRound(samplers, round));
    // Whatever call a collection happens to meet is among the slowest: it has its time between rounds.
    collectGarbage({ type: "minor" });
  }
  for (const { service } of samplers) await service.close();
}
server.disconnect();

const eachVariant = (figure: (variant: 0 | 1 | 2) => number): Trio<number> => [
  figure(0),
  figure(1),
  figure(2),
];
const cpuRatio = (variant: 1 | 2) => (rounds: readonly Trio<number>[]) =>
  median(rounds.map((round) => round[variant] / round[0]));
const p99Ratio = (variant: 1 | 2) => (rounds: readonly Trio<Float64Array>[]) =>
  pooledP99(rounds.map((round) => round[variant])) / pooledP99(rounds.map(([plain]) => plain));

console.log(
  `${busy.length} rounds of ${BUSY_SAMPLES} samples, ${AT_ONCE} at once; ${paced.length} of ${PACED_SAMPLES}, a call each ${PACE_MS} ms`,
);
report(
  "processor time of a sample (median of rounds; ratio: median of rounds' ratios)",
  "ms",
  eachVariant((variant) => median(busy.map((round) => round[variant]))),
  ratioOf(busy, cpuRatio(1)),
  ratioOf(busy, cpuRatio(2)),
);
report(
  "p99 of a sample's latency, all rounds together",
  "ms",
  eachVariant((variant) => pooledP99(paced.map((round) => round[variant]))),
  ratioOf(paced, p99Ratio(1)),
  ratioOf(paced, p99Ratio(2)),
);
