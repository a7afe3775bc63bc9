import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { TinkexError } from "@tinkex/base";
import { disableTelemetry, WITHOUT_TELEMETRY } from "../runtime/disable-telemetry.js";
import type { Engine } from "./engine.js";
import type { EngineOptions } from "./engine-options.js";
import { startEngineProcess } from "./engine-process.js";
import { type EngineThread, ThreadLine } from "./thread-line.js";

/** The built entry of the engine's thread or process, seen from the built package and from this source file. */
const workerFiles = ["./engine/engine-worker.js", "../../dist/engine/engine-worker.js"];

/**
 * An engine in a thread of its own, so that its arithmetic holds up nothing else; in a process of its own where a thread
 * could not keep ONNX Runtime from reporting to its makers, as in a caller that is a worker thread itself.
 *
 * Wait for `close()` before `process.exit()`: a process that ends while the native runtime computes is aborted by it
 * (code 134), and a save under way is lost.
 *
 * @throws ValidationError when the directory is no model this engine can run, or an option is wrong; TinkexError
 * `missing_dependency`
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const line = new ThreadLine(startThread(options));
  try {
    const { model, runtime } = await line.call("describe", []);
    return remoteEngine(line, model, runtime);
  } catch (error) {
    await line.close();
    throw error;
  }
}

function remoteEngine(line: ThreadLine, model: Engine["model"], runtime: Engine["runtime"]): Engine {
  return {
    model,
    runtime,
    createAdapter: (...args) => line.call("createAdapter", args),
    loadAdapter: (...args) => line.call("loadAdapter", args),
    saveAdapter: (...args) => line.call("saveAdapter", args),
    copyAdapter: (...args) => line.call("copyAdapter", args),
    releaseAdapter: (...args) => line.call("releaseAdapter", args),
    pass: (...args) => line.call("pass", args),
    optimStep: (...args) => line.call("optimStep", args),
    sample: (task, signal) => line.call("sample", [task], signal),
    close: () => line.close(),
  };
}

function startThread(options: EngineOptions): EngineThread {
  for (const file of workerFiles) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    if (!existsSync(path)) continue;
    // The options of the process, e.g. `--input-type` or a condition that leads to sources, are meant for its own files.
    if (disableTelemetry()) return new Worker(path, { execArgv: [], workerData: options });
    return startEngineProcess(path, options, { ...process.env, ...WITHOUT_TELEMETRY });
  }
  throw new TinkexError(
    "The engine's worker file is missing from @tinkex/local. Install the package again, or build it.",
    { code: "missing_dependency" },
  );
}
