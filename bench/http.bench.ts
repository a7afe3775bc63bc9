// What @tinkex/http costs on top of plain undici: the same requests to the same server, in turns.
import { execFile, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTransport } from "@tinkex/http";
import { Pool } from "undici";

/** Pairs of rounds a load: many short ones, so that a busy moment of the machine spoils few. */
const rounds = 41;

/** One kind of load. */
interface Load {
  readonly name: string;
  readonly body: Uint8Array;
  readonly concurrency: number;
  readonly requestsPerRound: number;
  /** Least share of plain undici's throughput. */
  readonly least: number;
}

const small = new TextEncoder().encode(JSON.stringify({ model_id: "m", seq_id: 1, type: "optim_step" }));
const big = new Uint8Array(1024 * 1024).fill(7);
const loads: readonly Load[] = [
  { name: "small JSON, 1 at a time", body: small, concurrency: 1, requestsPerRound: 300, least: 0.8 },
  { name: "small JSON, 50 at a time", body: small, concurrency: 50, requestsPerRound: 1_000, least: 0.8 },
  { name: "small JSON, 400 at a time", body: small, concurrency: 400, requestsPerRound: 2_000, least: 0.8 },
  { name: "1 MB protobuf, 4 at a time", body: big, concurrency: 4, requestsPerRound: 40, least: 0.9 },
];

const server = fork(fileURLToPath(new URL("http-echo.mjs", import.meta.url)), { execArgv: [] });
const port = await new Promise<number>((resolve) =>
  server.once("message", (value) => resolve(Number(value))),
);
const origin = `http://127.0.0.1:${port}`;
const pool = new Pool(origin, { connections: null });
const transport = createTransport({ baseUrl: origin, apiKey: "tml-bench" });

type Send = (body: Uint8Array) => Promise<Uint8Array>;

// The API wants these headers of everybody, so plain undici sends them too.
const headers = {
  "content-type": "application/x-protobuf",
  accept: "application/json",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "Tinkex/JS 0.1.0",
  "x-api-key": "tml-bench",
  "x-idempotency-key": randomUUID(),
  "x-stainless-package-version": "0.38.0",
  "x-stainless-os": "Linux",
  "x-stainless-arch": "x64",
  "x-stainless-runtime": "node",
  "x-stainless-runtime-version": process.version,
  "x-stainless-retry-count": "0",
  "x-stainless-read-timeout": "60",
};

const plain: Send = async (body) => {
  const answer = await pool.request({ path: "/api/v1/forward_backward", method: "POST", headers, body });
  return new Uint8Array(await answer.body.arrayBuffer());
};

const ours: Send = async (body) => {
  const operation = "forward_backward";
  return (await transport.call({ operation, contentType: "application/x-protobuf", body })).body;
};

/** Sends `count` requests, so many at a time; the latencies in milliseconds. */
async function drive(send: Send, { body, concurrency }: Load, count: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startedAt = performance.now();
      const text = new TextDecoder().decode(await send(body));
      latencies.push(performance.now() - startedAt);
      if (text !== `{"byteLength":${body.byteLength}}`) throw new Error(`a wrong answer: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;

let met = true;
function report(name: string, value: number, unit: string, wanted: string, holds: boolean): void {
  met &&= holds;
  console.log(
    `${name.padEnd(46)} ${value.toFixed(2)} ${unit}  (wanted: ${wanted}) ${holds ? "ok" : "MISSED"}`,
  );
}

/** Bytes of resident memory for each long poll that waits: the median of three processes. */
async function pendingPollBytes(side: "ours" | "plain"): Promise<number> {
  const program = fileURLToPath(new URL("http-polls.mjs", import.meta.url));
  const values: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program, origin, side]);
    values.push(Number(stdout));
  }
  return quantile(values, 0.5);
}

const perPoll = (await pendingPollBytes("ours")) / 1024;
report("a pending poll: resident memory", perPoll, "KB", "< 20", perPoll < 20);
console.log(`     plain undici: ${((await pendingPollBytes("plain")) / 1024).toFixed(2)} KB`);

/** One side of a comparison: how long its rounds took, and its latencies. */
interface Side {
  readonly send: Send;
  readonly tookMs: number[];
  readonly cpuMs: number[];
  readonly p99Ms: number[];
}
const newSide = (send: Send): Side => ({ send, tookMs: [], cpuMs: [], p99Ms: [] });

async function runRound({ send, tookMs, cpuMs, p99Ms }: Side, load: Load): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const latencies = await drive(send, load, load.requestsPerRound);
  tookMs.push(performance.now() - startedAt);
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuMs.push((user + system) / 1000);
  p99Ms.push(quantile(latencies, 0.99));
}

/** Median of what each pair of neighbouring rounds gives: what the machine does besides meets both alike. */
const medianOf = (
  a: readonly number[],
  b: readonly number[],
  join: (a: number, b: number) => number,
): number =>
  quantile(
    a.map((value, round) => join(value, b[round] ?? Number.NaN)),
    0.5,
  );

for (const load of loads) {
  const reference = newSide(plain);
  const tested = newSide(ours);
  for (const send of [plain, ours]) await drive(send, load, 2 * load.requestsPerRound);
  for (let round = 0; round < rounds; round += 1) {
    // The first one changes, so that neither always has the warmer machine.
    for (const side of round % 2 === 0 ? [reference, tested] : [tested, reference])
      await runRound(side, load);
  }
  const ratio = medianOf(reference.tookMs, tested.tookMs, (a, b) => a / b);
  report(`${load.name}: throughput`, ratio, "x of plain undici", `>= ${load.least}`, ratio >= load.least);
  const cpu = medianOf(tested.cpuMs, reference.cpuMs, (a, b) => a / b);
  console.log(`${"  its processor time, for information".padEnd(46)} ${cpu.toFixed(2)} x of plain undici`);
  if (load.concurrency === 1) {
    const ms = medianOf(tested.p99Ms, reference.p99Ms, (a, b) => a - b);
    report(`${load.name}: added p99 latency`, ms, "ms", "< 0.3", ms < 0.3);
  }
}

await Promise.all([transport.close(), pool.close()]);
server.disconnect();
if (!met) process.exitCode = 1;
