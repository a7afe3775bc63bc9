// What @tinkex/http costs on top of plain undici: the same requests to the same server, in turns.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createTransport } from "@tinkex/http";
import { Pool } from "undici";

const rounds = 9;

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
  { name: "small JSON, 1 at a time", body: small, concurrency: 1, requestsPerRound: 600, least: 0.8 },
  { name: "small JSON, 50 at a time", body: small, concurrency: 50, requestsPerRound: 2_000, least: 0.8 },
  { name: "small JSON, 400 at a time", body: small, concurrency: 400, requestsPerRound: 4_000, least: 0.8 },
  { name: "1 MB protobuf, 4 at a time", body: big, concurrency: 4, requestsPerRound: 100, least: 0.9 },
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

// First of all, while the process is small: what a long poll that waits takes.
const polls = 2_000;
const waiting = createTransport({ baseUrl: origin, apiKey: "tml-bench" });
await waiting.call({ operation: "optim_step", body: small });
/** Opens so many more polls; the resident memory once they all stand, in bytes. */
async function residentWith(more: number): Promise<number> {
  for (let i = 0; i < more; i += 1) {
    waiting.call({ operation: "retrieve_future", body: small }).catch(() => {});
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  global.gc?.();
  return process.memoryUsage().rss;
}
// A first thousand grows the heap's own reserves, which is no cost of a poll.
const before = await residentWith(1_000);
const perPoll = ((await residentWith(polls)) - before) / polls / 1024;
report(`${polls} pending polls: resident memory each`, perPoll, "KB", "< 20", perPoll < 20);
await waiting.close();

for (const load of loads) {
  await drive(plain, load, load.requestsPerRound);
  await drive(ours, load, load.requestsPerRound);
  const ratios: number[] = [];
  const added: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const took: Record<string, number> = {};
    const p99: Record<string, number> = {};
    // In turns, the first one changing, so that neither has the quieter machine.
    for (const [name, send] of round % 2 === 0
      ? ([
          ["plain", plain],
          ["ours", ours],
        ] as const)
      : ([
          ["ours", ours],
          ["plain", plain],
        ] as const)) {
      const startedAt = performance.now();
      const latencies = await drive(send, load, load.requestsPerRound);
      took[name] = performance.now() - startedAt;
      p99[name] = quantile(latencies, 0.99);
    }
    ratios.push((took.plain ?? 0) / (took.ours ?? 1));
    added.push((p99.ours ?? 0) - (p99.plain ?? 0));
  }
  const ratio = quantile(ratios, 0.5);
  report(`${load.name}: throughput`, ratio, "x of plain undici", `>= ${load.least}`, ratio >= load.least);
  if (load.concurrency === 1) {
    const ms = quantile(added, 0.5);
    report(`${load.name}: added p99 latency`, ms, "ms", "< 0.3", ms < 0.3);
  }
}

await Promise.all([transport.close(), pool.close()]);
server.disconnect();
if (!met) process.exitCode = 1;
