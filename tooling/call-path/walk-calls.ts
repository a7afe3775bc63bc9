// Makes each call against the server whose address is the argument, and prints the ways as JSON. Runs under `load-sources.mjs`.
import { Session } from "node:inspector/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CallPath } from "./call-path.js";
import { CALL_NAMES, type CallName } from "./calls.js";
import { ENTERED } from "./note-entries.mjs";
import { relativePath } from "./relative-path.mjs";

/** Calls before the one that is counted: the first ones also load modules, open connections and fill caches. */
const WARM_UPS = 2;
/** Gives what trails a call, such as the report of a sample that was fetched, the time to end before the next one is counted. */
const PAUSE_MS = 400;

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
// Before the client's modules are loaded: a function that was compiled earlier may escape the count.
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const { openCalls } = await import("./calls.js");
const { run, close } = await openCalls(process.argv[2] ?? "");
const entered: Set<string> = Reflect.get(globalThis, ENTERED);

async function walk(call: () => PromiseLike<unknown>): Promise<CallPath> {
  await setTimeout(PAUSE_MS);
  await inspector.post("Profiler.takePreciseCoverage");
  entered.clear();
  await call();
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const filesInOrder = [...entered].filter(isPackageSource);
  return { functions: Object.fromEntries(result.flatMap(functionsOf)), filesInOrder };
}

function functionsOf({ url, functions }: { url: string; functions: readonly Counted[] }) {
  const file = url.startsWith("file:") ? relativePath(fileURLToPath(url)) : "";
  const called = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0);
  if (!isPackageSource(file) || called.length === 0) return [];
  return [[file, called.map(({ functionName }) => functionName)] as const];
}

interface Counted {
  readonly functionName: string;
  readonly ranges: readonly { readonly count: number }[];
}

function isPackageSource(file: string): boolean {
  return file.startsWith("packages/");
}

for (let round = 0; round < WARM_UPS; round += 1) for (const name of CALL_NAMES) await run[name]();
const paths: Partial<Record<CallName, CallPath>> = {};
for (const name of CALL_NAMES) paths[name] = await walk(run[name]);
await close();
inspector.disconnect();
console.log(JSON.stringify(paths));
