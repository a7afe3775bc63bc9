// Cost of a token as work grows, on one local server in a process of its own: 1, 2, 4 and 8 runs that train at once, and batches from
// 1,000 to 100,000 tokens in one run; and the most memory that a server with `memoryLimitMb` takes over the largest of them. Rows
// are of 16 to 48 tokens. `pnpm bench scaling [LIMIT_MB]`. Each form of work has its turn in every round, and the best counts.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ServiceClient, type TrainingClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";

const ROUNDS = 3;
const RUNS = [1, 2, 4, 8];
/** Tokens that each of several runs trains on. */
const TOKENS_EACH = 4_000;
/** Tokens of a turn with small batches, which is long enough to be timed. */
const TURN_TOKENS = 16_000;
const BATCHES = [1_000, 4_000, 16_000, 100_000];
/** Largest part by which the cost of a token may differ from that of the first. */
const FLAT = 0.15;
const MODEL = "tinkex/pocket-1";
const LIMIT_MB = Number(process.argv[2] ?? 450);

if (process.argv[2] === "serve") await serve(Number(process.argv[3]));
else {
  await withServer(0, compare);
  if (process.platform === "linux") await withServer(LIMIT_MB, measureMemory);
}

/** The server's side: says its address, and goes with its parent. */
async function serve(memoryLimitMb: number): Promise<void> {
  const directory = fileURLToPath(new URL("../packages/local/models/pocket-1", import.meta.url));
  const server = await startLocalServer({
    models: [{ name: MODEL, directory }],
    ...(memoryLimitMb > 0 ? { memoryLimitMb } : {}),
  });
  process.on("disconnect", () => void server.close().then(() => process.exit(0)));
  process.send?.({ url: server.url });
}

/** Runs `work` with a client of a new server, which then ends. */
async function withServer(
  memoryLimitMb: number,
  work: (service: ServiceClient, server: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ["serve", String(memoryLimitMb)]);
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`the server ended with ${code}`)),
  );
  // The first message of its `serve`.
  const [{ url }] = (await Promise.race([once(child, "message"), ended])) as [{ readonly url: string }];
  ended.catch(() => {});
  const service = new ServiceClient({ baseUrl: url, apiKey: "tml-bench" });
  try {
    await work(service, child);
  } finally {
    await service.close();
    child.disconnect();
  }
}

/** Rows of 16 to 48 tokens, as many as make so many tokens. */
function rowsOf(tokenCount: number) {
  const rows: { model_input: number[]; loss_fn_inputs: { target_tokens: number[] } }[] = [];
  for (let left = tokenCount; left > 0; ) {
    const length = Math.min(left, 16 + ((rows.length * 7) % 33));
    const tokens = Array.from({ length: length + 1 }, (_, at) => 1 + ((at * 31 + rows.length * 97) % 250));
    rows.push({ model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } });
    left -= length;
  }
  return rows;
}

async function step(training: TrainingClient, rows: ReturnType<typeof rowsOf>): Promise<void> {
  const { forwardBackward } = await training.trainStep(rows, "cross_entropy", { learning_rate: 1e-4 });
  const { length } = forwardBackward.loss_fn_outputs;
  if (length !== rows.length) throw new Error(`${rows.length} rows gave ${length} outputs`);
}

async function compare(service: ServiceClient): Promise<void> {
  const runs: TrainingClient[] = [];
  for (const _ of Array(Math.max(...RUNS)))
    runs.push(await service.createLoraTrainingClient({ base_model: MODEL, rank: 8 }));
  const [first] = runs;
  if (first === undefined) return;
  const works = new Map<string, { readonly tokens: number; run(): Promise<unknown> }>();
  for (const count of RUNS) {
    const rows = rowsOf(TOKENS_EACH);
    const run = () => Promise.all(runs.slice(0, count).map((training) => step(training, rows)));
    works.set(`${count} runs at once`, { tokens: TOKENS_EACH * count, run });
  }
  for (const tokens of BATCHES) {
    const rows = rowsOf(tokens);
    const repeats = Math.max(1, TURN_TOKENS / tokens);
    const run = async () => {
      for (let done = 0; done < repeats; done += 1) await step(first, rows);
    };
    works.set(`batches of ${tokens} tokens`, { tokens: tokens * repeats, run });
  }
  const best = new Map<string, number>();
  for (const { run } of works.values()) await run();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, { tokens, run }] of works) {
      const startedAtMs = performance.now();
      await run();
      const microseconds = (1000 * (performance.now() - startedAtMs)) / tokens;
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, microseconds));
    }
  }
  report(best, "runs");
  report(best, "batches");
}

function report(best: ReadonlyMap<string, number>, kind: string): void {
  const all = [...best].filter(([name]) => name.includes(kind));
  const base = all[0]?.[1] ?? Number.NaN;
  for (const [name, microseconds] of all) {
    const ratio = microseconds / base;
    const verdict = ratio <= 1 + FLAT ? "ok" : "MISSED";
    if (verdict === "MISSED") process.exitCode = 1;
    console.log(
      `${name.padEnd(28)} ${microseconds.toFixed(1).padStart(7)} us a token, ${ratio.toFixed(2)} x  ${verdict}`,
    );
  }
}

/** A batch of 100,000 tokens, in short rows and in rows of the whole context, and samples beside it. */
async function measureMemory(service: ServiceClient, { pid }: ChildProcess): Promise<void> {
  const training = await service.createLoraTrainingClient({ base_model: MODEL, rank: 8 });
  const { supported_models: models } = await service.getServerCapabilities();
  const context = models.find(({ model_name: name }) => name === MODEL)?.max_context_length ?? 0;
  const sampler = await training.saveWeightsAndGetSamplingClient();
  const params = { max_tokens: 64, seed: 1, stop: [] };
  const samples = () =>
    Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        sampler.sample({ prompt: [60 + at, 61], sampling_params: params }),
      ),
    );
  await Promise.all([step(training, rowsOf(100_000)), samples()]);
  const tokens = Array.from({ length: context + 1 }, (_, at) => 1 + ((at * 31) % 250));
  const long = { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } };
  await Promise.all([step(training, Array(32).fill(long)), samples()]);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mostMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const verdict = mostMb <= LIMIT_MB ? "ok" : "MISSED";
  if (verdict === "MISSED") process.exitCode = 1;
  console.log(
    `memoryLimitMb ${LIMIT_MB}: context of ${context} tokens, at most ${mostMb.toFixed(0)} MB resident  ${verdict}`,
  );
}
