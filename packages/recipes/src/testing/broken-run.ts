import { appendFileSync, readFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import type { Metrics } from "../run/recipe-event.js";

/** One process of a run: it ends at the first of its breaks that it reaches, or when the run is over. */
export interface BrokenRunOrder {
  readonly url: string;
  readonly recipe: "sft" | "rl";
  readonly steps: number;
  readonly saveEvery: number;
  readonly runDirectory: string;
  /** File of JSON lines to which every call of a training client is written, before it is made. */
  readonly journal: string;
  /** Point at which the process ends itself, as `beforeAppend metrics.jsonl 3`; absent where it runs to its end. */
  readonly breakAt?: string | undefined;
  /** SIGKILL ends it in the middle of whatever it does; SIGINT asks it to stop, as Ctrl-C does. */
  readonly signal: "SIGKILL" | "SIGINT";
}

const [text = "{}"] = process.argv.slice(2);
const order = JSON.parse(text) as BrokenRunOrder; // written by the test
const stop = new AbortController();
process.on("SIGINT", () => stop.abort(new Error("stopped by Ctrl-C")));

/** Ends the process where the order says so. */
function reach(point: string): void {
  if (point !== order.breakAt) return;
  appendFileSync(order.journal, `${JSON.stringify({ broken: point })}\n`);
  process.kill(process.pid, order.signal);
}

/** Puts points before, in the middle of and behind every line that is appended, and around every file that is moved to its place. */
function watchFiles(): void {
  // The object whose functions `node:fs/promises` exports.
  const files: typeof import("node:fs/promises") = createRequire(import.meta.url)("node:fs/promises");
  const { appendFile, rename } = files;
  files.appendFile = async (path, data, options) => {
    const place = `${basename(String(path))} ${stepOf(String(data))}`;
    reach(`beforeAppend ${place}`);
    if (order.breakAt === `inAppend ${place}` && order.signal === "SIGKILL") {
      appendFileSync(String(path), String(data).slice(0, String(data).length / 2));
      reach(`inAppend ${place}`);
    }
    await appendFile(path, data, options);
    reach(`afterAppend ${place}`);
  };
  files.rename = async (from, to) => {
    reach(`beforeRename ${basename(String(to))}`);
    await rename(from, to);
    reach(`afterRename ${basename(String(to))}`);
  };
  syncBuiltinESMExports();
}

/** Step of a row of metrics, name of a checkpoint. */
function stepOf(line: string): string {
  return /^\{"(?:step|name)": "?([^",}]+)/.exec(line)?.[1] ?? "";
}

async function run(): Promise<Metrics> {
  watchFiles();
  const { ServiceClient } = await import("@tinkex/client");
  const { journaledService } = await import("./journaled-service.js");
  const { breakableRun } = await import("./breakable-run.js");
  await using service = new ServiceClient({ baseUrl: order.url, env: {} });
  const note = (entry: object) => appendFileSync(order.journal, `${JSON.stringify(entry)}\n`);
  const { metrics } = await breakableRun({
    ...order,
    service: journaledService(service, { note, reach }),
    abortSignal: stop.signal,
  });
  return metrics;
}

try {
  console.log(JSON.stringify({ metrics: await run() }));
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.log(JSON.stringify({ stopped: readFileSync(order.journal, "utf8").length }));
}
