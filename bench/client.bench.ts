// The client under load: samples drawn thousands at once, and training steps, against bare undici (a poll for each sample) and the
// official Python SDK (skipped where `tinker` is not installed; TINKEX_BENCH_PYTHON names the interpreter). All are processes of
// their own, take turns, and check each result. `pnpm bench client 5` takes five turns.
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const rounds = Math.max(1, Number(process.argv[2] ?? 7));
const HOLD_MS = "20";
/** Samples at once. */
const MANY = 2_000;
const VERY_MANY = 10_000;
const STEPS = 20;
/** The official SDK is slow: fewer turns say enough. */
const PYTHON_ROUNDS = 2;
const python = process.env.TINKEX_BENCH_PYTHON ?? "python3";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Work that a side is told to do. */
type Job = { readonly samples: number; readonly countsSockets?: boolean } | { readonly steps: number };

/** Figures of one piece of work. */
interface Took {
  readonly tookMs: number;
  readonly cpuMs: number;
  /** Most resident memory of the process so far. */
  readonly maxRssMb: number;
  /** Median of the time until a call has returned its promise. */
  readonly submitP50Ms: number;
  /** Most connections, and most requests that waited for one or for their answer, where they were counted. */
  readonly sockets?: { readonly most: number; readonly underWay: number };
  readonly error?: string;
}

/** A process that works. */
interface Worker {
  run(job: Job): Promise<Took>;
  stop(): void;
}

const server = fork(fileOf("client-server.mjs"), [HOLD_MS], { execArgv: [] });
const [{ ports }] = (await once(server, "message")) as [{ readonly ports: readonly number[] }];
const [plainOrigin, batchOrigin] = ports.map((port) => `http://127.0.0.1:${port}`);
if (plainOrigin === undefined || batchOrigin === undefined) throw new Error("the service has no ports");

async function startNode(side: "tinkex" | "undici", origin: string): Promise<Worker> {
  const child: ChildProcess = fork(fileOf("client-worker.mjs"), [side, origin], { execArgv: [] });
  await once(child, "message");
  return {
    run: async (job) => {
      child.send(job);
      const [took] = (await once(child, "message")) as [Took];
      if (took.error !== undefined) throw new Error(`${side}: ${took.error}`);
      return took;
    },
    stop: () => child.disconnect(),
  };
}

/** The official SDK; `undefined`, with a line, where there is none. */
async function startPython(origin: string): Promise<Worker | undefined> {
  const { status } = spawnSync(python, ["-c", "import tinker"], { stdio: "ignore" });
  if (status !== 0) {
    console.log(`official SDK: skipped, ${python} has no package tinker`);
    return undefined;
  }
  const child = spawn(python, [fileOf("client_python.py"), origin], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the official SDK's process has ended");
    return value;
  };
  while ((await nextLine()) !== "ready");
  return {
    run: async (job) => {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      for (;;) {
        const line = await nextLine();
        if (line.startsWith("{")) return JSON.parse(line) as Took;
      }
    },
    stop: () => child.stdin.end(),
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

let met = true;
/** Prints a figure, and whether it is what is wanted of it. */
function report(
  name: string,
  value: number,
  unit: string,
  wanted?: { least: number } | { most: number },
): void {
  const figure = `${name.padEnd(64)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}`;
  if (wanted === undefined) {
    console.log(figure);
    return;
  }
  const [holds, sign, bound] =
    "least" in wanted
      ? [value >= wanted.least, ">=", wanted.least]
      : [value <= wanted.most, "<=", wanted.most];
  met &&= holds;
  console.log(`${figure}  (wanted: ${sign} ${bound}) ${holds ? "ok" : "MISSED"}`);
}

/** One side of the comparison, and the figures of its turns. */
interface Side {
  readonly name: string;
  readonly worker: Worker;
  readonly took: Took[];
}

const newSide = (name: string, worker: Worker): Side => ({ name, worker, took: [] });
const cpuOf = ({ took }: Side): number => median(took.map(({ cpuMs }) => cpuMs)) / MANY;
const rateOf = ({ took }: Side): number => (1_000 * MANY) / median(took.map(({ tookMs }) => tookMs));
/** Median of the ratios of neighbouring turns: what the machine does besides meets both alike. */
const ratio = (a: Side, b: Side, figure: (took: Took) => number): number =>
  median(a.took.map((each, turn) => figure(each) / figure(b.took[turn] ?? each)));

const bare = newSide("bare undici", await startNode("undici", plainOrigin));
const single = newSide("client, a poll for each sample", await startNode("tinkex", plainOrigin));
const batch = newSide("client, polls for all samples", await startNode("tinkex", batchOrigin));
const sides = [bare, single, batch];

for (const { worker } of sides) for (const samples of [100, MANY, MANY]) await worker.run({ samples });
for (let round = 0; round < rounds; round += 1) {
  // The first one changes, so that none always has the warmer machine.
  for (let turn = 0; turn < sides.length; turn += 1) {
    const side = sides[(round + turn) % sides.length];
    side?.took.push(await side.worker.run({ samples: MANY }));
  }
}
for (const side of sides) {
  report(`${side.name}: samples`, rateOf(side), "/s");
  report(`${side.name}: processor time for 1,000`, cpuOf(side), "s");
}
const speed = ({ tookMs }: Took): number => 1 / tookMs;
const cpu = ({ cpuMs }: Took): number => cpuMs;
report("polls for all: throughput", ratio(batch, bare, speed), "x of bare undici", { least: 1.2 });
report("polls for all: processor time", ratio(batch, bare, cpu), "x of bare undici", { most: 1 });
report("a poll for each: throughput", ratio(single, bare, speed), "x of bare undici", { least: 0.8 });
report("a poll for each: processor time", ratio(single, bare, cpu), "x of bare undici");
const submitMs = median([...single.took, ...batch.took].map(({ submitP50Ms }) => submitP50Ms));
report("a call until it has returned, median", submitMs, "ms", { most: 0.2 });
const official = await startPython(batchOrigin);
if (official !== undefined) {
  const side = newSide("official SDK", official);
  await official.run({ samples: 100 });
  for (let round = 0; round < PYTHON_ROUNDS; round += 1) {
    side.took.push(await official.run({ samples: MANY }));
    batch.took.push(await batch.worker.run({ samples: MANY }));
  }
  report("official SDK: samples", rateOf(side), "/s");
  report("official SDK: processor time for 1,000", cpuOf(side), "s");
  report("official SDK: resident memory", side.took.at(-1)?.maxRssMb ?? Number.NaN, "MB");
  report("official SDK: processor time", cpuOf(side) / cpuOf(batch), "x of the client's", { least: 15 });
}

const steps: number[] = [];
const officialSteps: number[] = [];
for (let round = 0; round < rounds + 2; round += 1) {
  const { cpuMs } = await single.worker.run({ steps: STEPS });
  // The first two warm up.
  if (round >= 2) steps.push(cpuMs / STEPS);
  if (round < PYTHON_ROUNDS && official !== undefined) {
    officialSteps.push((await official.run({ steps: STEPS })).cpuMs / STEPS);
  }
}
report("training step of 128 x 512 tokens: processor time", median(steps), "ms", { most: 3 });
if (official !== undefined) report("official SDK: the same", median(officialSteps), "ms");
for (const { worker } of sides) worker.stop();
official?.stop();

/** Median of the figure that new processes give which draw so many samples at once. */
async function fresh(
  side: "tinkex" | "undici",
  origin: string,
  samples: number,
  countsSockets: boolean,
): Promise<readonly Took[]> {
  const taken: Took[] = [];
  for (let round = 0; round < 3; round += 1) {
    const worker = await startNode(side, origin);
    taken.push(await worker.run({ samples, countsSockets }));
    worker.stop();
  }
  return taken;
}

async function memoryOf(side: "tinkex" | "undici", origin: string, samples: number): Promise<number> {
  return median((await fresh(side, origin, samples, false)).map(({ maxRssMb }) => maxRssMb));
}

/** Says how many connections the client had beside the requests that were under way. */
async function reportSockets(name: string, origin: string, samples: number): Promise<void> {
  const counted = (await fresh("tinkex", origin, samples, true)).flatMap(({ sockets }) => sockets ?? []);
  report(`${name}: most sockets`, median(counted.map(({ most }) => most)), "");
  const share = median(counted.map(({ most, underWay }) => most / underWay));
  report(`${name}: sockets`, share, "x of most under way", { most: 1.2 });
}

for (const [samples, mostMb] of [
  [MANY, 110],
  [VERY_MANY, 200],
] as const) {
  const bareMb = await memoryOf("undici", plainOrigin, samples);
  report(`${samples} samples, bare undici: resident memory`, bareMb, "MB");
  const singleMb = await memoryOf("tinkex", plainOrigin, samples);
  report(`${samples} samples, a poll for each: resident memory`, singleMb, "MB");
  report(`${samples} samples, a poll for each: resident memory`, singleMb / bareMb, "x of bare undici", {
    most: 1.2,
  });
  const batchMb = await memoryOf("tinkex", batchOrigin, samples);
  report(`${samples} samples, polls for all: resident memory`, batchMb, "MB", { most: mostMb });
}
await reportSockets(`${MANY} samples, a poll for each`, plainOrigin, MANY);
await reportSockets(`${MANY} samples, polls for all`, batchOrigin, MANY);

server.disconnect();
if (!met) process.exitCode = 1;
