// Speed and memory of downloadFile: 1 GB from loopback (goal: at least 0.8 of what `undici.stream` into a file reaches, and less than
// 60 MB more memory than a client that has downloaded a small file, and so has loaded what it needs, takes while it is idle).
// `undici.stream` itself takes 50 to 70 MB: Node frees the pieces of a socket when there are 32 MB of them. `pnpm bench download`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { downloadFile } from "@tinkex/http";
import { stream } from "undici";

const BYTES = Number(process.env.TINKEX_BENCH_BYTES ?? 1024 ** 3);
const ROUNDS = 5;
const SMALL_BYTES = 1_000_000;
const MIN_RATIO = 0.8;
const MAX_GROWTH_BYTES = 60_000_000;

const SERVER = `
  import { createServer } from "node:http";
  const piece = Buffer.alloc(256 * 1024, 7);
  const server = createServer((request, response) => {
    let left = Number(request.url.slice(1));
    response.writeHead(200, { "content-length": left, etag: '"v1"' });
    const fill = () => {
      while (left > 0) {
        const next = left < piece.length ? piece.subarray(0, left) : piece;
        left -= next.length;
        if (!response.write(next)) return;
      }
      response.end();
    };
    response.on("drain", fill);
    fill();
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

const server = spawn(process.execPath, ["--input-type=module", "--eval", SERVER], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [port] = await once(server.stdout, "data");
const url = `http://127.0.0.1:${String(port).trim()}/${BYTES}`;
const folder = await mkdtemp(join(tmpdir(), "tinkex-bench-"));
const target = join(folder, "file.bin");

/** Runs a download, checks its length, and gives its time in milliseconds and the most memory it took beyond what was taken before. */
async function measure(
  download: () => Promise<unknown>,
): Promise<{ readonly ms: number; readonly growth: number }> {
  await rm(target, { force: true });
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const startedAt = performance.now();
  await download();
  const ms = performance.now() - startedAt;
  clearInterval(timer);
  const { size } = await stat(target);
  if (size !== BYTES) throw new Error(`${size} bytes came, wanted ${BYTES}`);
  return { ms, growth: most - before };
}

const ours = (flush: boolean, from = url): Promise<unknown> =>
  downloadFile({ url: () => from, target, proxy: {}, flush });
const bare = (): Promise<unknown> => stream(url, { method: "GET" }, () => createWriteStream(target));

/** With the file on the disk at the end, as ours is with `flush`: without that the time is that of the memory of the file system. */
async function synced(): Promise<void> {
  await bare();
  const file = await open(target);
  await file.sync();
  await file.close();
}

const times = {
  flushed: Number.POSITIVE_INFINITY,
  ours: Number.POSITIVE_INFINITY,
  bare: Number.POSITIVE_INFINITY,
  synced: Number.POSITIVE_INFINITY,
};
let growth = 0;
try {
  await ours(false, new URL(`/${SMALL_BYTES}`, url).href);
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await measure(() => ours(false));
    growth = Math.max(growth, own.growth);
    times.ours = Math.min(times.ours, own.ms);
    times.flushed = Math.min(times.flushed, (await measure(() => ours(true))).ms);
    times.bare = Math.min(times.bare, (await measure(bare)).ms);
    times.synced = Math.min(times.synced, (await measure(synced)).ms);
  }
} finally {
  server.kill();
  await rm(folder, { recursive: true });
}
const ratio = times.bare / times.ours;
const speed = (ms: number): string => `${(BYTES / 1e3 / ms).toFixed(0)} MB/s`;
console.log(
  `downloadFile without flush ${speed(times.ours)}, undici.stream ${speed(times.bare)}, best of ${ROUNDS}: ` +
    `ratio ${ratio.toFixed(2)} (goal >= ${MIN_RATIO})`,
);
console.log(
  `with flush, as it is by default, ${speed(times.flushed)}; undici.stream, then fsync, ${speed(times.synced)}: ` +
    `ratio ${(times.synced / times.flushed).toFixed(2)}`,
);
console.log(`memory ${(growth / 1e6).toFixed(0)} MB more than idle (goal < ${MAX_GROWTH_BYTES / 1e6} MB)`);
if (ratio < MIN_RATIO || growth >= MAX_GROWTH_BYTES) process.exitCode = 1;
