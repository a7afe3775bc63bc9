// Mixed work of several clients on a server from the command line for a long time, with what it holds every 15 s: `pnpm bench soak [MINUTES]
// [PAUSE_MS]`, an hour and 400 ms by default. Between the second quarter of the time and the last, memory, open files and threads must stay as
// they are, or it ends with exit code 1.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ServiceClient } from "@tinkex/client";
import { SoakWork } from "./soak-work.js";

const minutes = Number(process.argv[2] ?? 60);
const pauseMs = Number(process.argv[3] ?? 400);
const LOOK_INTERVAL_MS = 15_000;
/** Growth from the second quarter to the last that is still flat: of memory as a factor, of the others in number. */
const MAX_GROWTH = 1.1;
const MAX_MORE = 2;
/** Connections come and go with the pace of the machine. */
const MAX_MORE_FILES = 20;

interface Usage {
  readonly rssMib: number;
  readonly heapMib: number;
  readonly externalMib: number;
  readonly openFiles: number;
  readonly threads: number;
  readonly dataMib: number;
  readonly dataFiles: number;
  readonly runs: number;
  readonly checkpoints: number;
  readonly sessions: number;
}

const folder = await mkdtemp(join(tmpdir(), "tinkex-soak-"));
const data = join(folder, "data");
const local = import.meta.resolve("@tinkex/local/package.json");
const server = fork(fileURLToPath(new URL("bin/tinkex-local.js", local)), ["--data", data], {
  execArgv: ["--expose-gc", `--import=${new URL("soak-usage.mjs", import.meta.url)}`],
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
const { url, model } = await startOf(server);
const endsAtMs = Date.now() + minutes * 60_000;
const work = new SoakWork({ url, model, folder, endsAtMs, pauseMs });
let isOver = false;
const lanes = work.run().finally(() => {
  isOver = true;
});
// Heard at the end; a failure ends the loop below at once.
lanes.catch(() => {});

const series: Usage[] = [];
const observer = new ServiceClient({ baseUrl: url, env: {} });
while (!isOver) {
  await Promise.race([sleep(LOOK_INTERVAL_MS), lanes.catch(() => {})]);
  const usage = await usageOf(server);
  series.push(usage);
  console.log(`${new Date().toISOString()} ${JSON.stringify(usage)} ${JSON.stringify(work.tally)}`);
}
await observer.close();
const cpuSeconds = await cpuSecondsOf(server);
server.kill("SIGTERM");
await once(server, "exit");
await rm(folder, { recursive: true, force: true });
const { user, system } = process.cpuUsage();
const share = (seconds: number) => `${((seconds / (minutes * 60)) * 100).toFixed(0)} %`;
console.log(`\nprocessor: server ${share(cpuSeconds)}, clients ${share((user + system) / 1e6)} of one core`);
await lanes;
process.exitCode = judge(series) ? 0 : 1;

/** Says how each figure changed, and tells whether all that must be flat is. */
function judge(usages: readonly Usage[]): boolean {
  const quarter = Math.floor(usages.length / 4);
  if (quarter === 0) return true;
  const mean = (part: readonly Usage[], name: keyof Usage) =>
    part.reduce((sum, usage) => sum + usage[name], 0) / part.length;
  const limits: Partial<Record<keyof Usage, (before: number) => number>> = {
    rssMib: (before) => before * MAX_GROWTH,
    heapMib: (before) => before * MAX_GROWTH,
    externalMib: (before) => before * MAX_GROWTH,
    openFiles: (before) => before + MAX_MORE_FILES,
    threads: (before) => before + MAX_MORE,
    checkpoints: (before) => before + MAX_MORE,
  };
  let isFlat = true;
  for (const name of Object.keys(usages[0] ?? {}) as (keyof Usage)[]) {
    const before = mean(usages.slice(quarter, 2 * quarter), name);
    const after = mean(usages.slice(-quarter), name);
    const limit = limits[name]?.(before);
    const verdict = limit === undefined ? "" : after <= limit ? "flat" : "GREW";
    if (verdict === "GREW") isFlat = false;
    console.log(
      `${name.padEnd(12)} second quarter ${before.toFixed(2)}, last ${after.toFixed(2)} ${verdict}`,
    );
  }
  console.log(isFlat ? "verdict: flat" : "verdict: grew");
  return isFlat;
}

/** Reads from its first lines where a server is, and what it serves. */
async function startOf(child: ChildProcess): Promise<{ readonly url: string; readonly model: string }> {
  if (child.stdout === null) throw new Error("the server has no output");
  let found: { url?: string; model?: string } = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url = found.url] = /^serving the Tinker API at (\S+)$/.exec(line) ?? [];
    const [, model = found.model] = /^model (\S+) /.exec(line) ?? [];
    found = { ...(url !== undefined && { url }), ...(model !== undefined && { model }) };
    if (found.url !== undefined && found.model !== undefined) {
      child.stdout.resume();
      return { url: found.url, model: found.model };
    }
  }
  throw new Error("the server ended before it said where it is");
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send("usage");
  const [memory] = (await once(child, "message")) as [
    { readonly heapUsed: number; readonly external: number },
  ];
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  const line = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  const files = await filesIn(data);
  const { rest } = observer;
  const { cursor: runs } = await rest.listTrainingRuns({ limit: 1 });
  const { cursor: checkpoints } = await rest.listUserCheckpoints({ limit: 1 });
  let sessions = 0;
  for await (const _ of rest.sessions()) sessions += 1;
  const mib = (bytes: number) => Math.round((bytes / 2 ** 20) * 100) / 100;
  return {
    rssMib: mib(line("VmRSS") * 1024),
    heapMib: mib(memory.heapUsed),
    externalMib: mib(memory.external),
    openFiles: (await readdir(`/proc/${child.pid}/fd`)).length,
    threads: line("Threads"),
    dataMib: mib(files.bytes),
    dataFiles: files.count,
    runs: runs?.total_count ?? 0,
    checkpoints: checkpoints?.total_count ?? 0,
    sessions,
  };
}

async function filesIn(directory: string): Promise<{ readonly count: number; readonly bytes: number }> {
  const entries = await readdir(directory, { recursive: true });
  // Files may go while they are counted.
  const sizes = await Promise.all(
    entries.map((entry) =>
      stat(join(directory, entry)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return {
    count: sizes.filter((size) => size > 0).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

async function cpuSecondsOf({ pid }: ChildProcess): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  const TICKS_PER_SECOND = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
