import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Clock, type Logger, silentLogger, systemClock, TinkexError } from "@tinkex/base";
import type { Engine } from "../engine/engine.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { disableTelemetry, WITHOUT_TELEMETRY } from "../runtime/disable-telemetry.js";
import { startEngineProcess } from "./engine-process.js";
import type { AdapterStore } from "./idle-adapters.js";
import { SupervisedEngine } from "./supervised-engine.js";
import type { EngineThread } from "./worker-rpc-client.js";

/** The built entry of the engine's thread or process, seen from the built package and from this source file. */
const workerFiles = ["compute/engine-worker.js", "../../dist/compute/engine-worker.js"];

/** Clock and log of an engine, for what happens to its thread, and the end of its start. */
export interface EngineSurroundings {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps the adapters that nobody has used for minutes, and is closed with the engine. Absent: all are in memory. */
  readonly store?: AdapterStore | undefined;
}

/**
 * An engine in a thread of its own, so that its arithmetic holds up nothing else; in a process of its own where a thread
 * could not keep ONNX Runtime from reporting to its makers, as in a caller that is a worker thread itself. When either ends
 * unexpectedly, it is started again: see {@link SupervisedEngine}.
 *
 * Wait for `close()` before `process.exit()`: a process that ends while the native runtime computes is aborted by it
 * (code 134), and a save under way is lost.
 *
 * @throws ValidationError when the directory is no model this engine can run, or an option is wrong; TinkexError
 * `missing_dependency`
 */
export function createEngine(
  options: EngineOptions,
  { clock = systemClock, logger = silentLogger, signal, store }: EngineSurroundings = {},
): Promise<Engine> {
  return SupervisedEngine.start({ clock, logger, store, start: () => startThread(options) }, signal);
}

/** Starts the thread or process that serves an engine. @throws TinkexError `missing_dependency` where its file is not there */
export function startThread(options: EngineOptions): EngineThread {
  for (const file of workerFiles) {
    const path = join(dirname(fileURLToPath(import.meta.url)), file);
    if (!existsSync(path)) continue;
    // The options of the process, e.g. `--input-type` or a condition that leads to sources, are meant for its own files.
    if (disableTelemetry()) return new Worker(path, { execArgv: [], workerData: options });
    return startEngineProcess(path, options, { ...process.env, ...WITHOUT_TELEMETRY });
  }
  throw new TinkexError(
    "the engine's worker file is not beside the code of @tinkex/local; where a bundler took the code in, mark the package external (`serverExternalPackages` in Next.js), else install it again, or build it",
    { code: "missing_dependency" },
  );
}
