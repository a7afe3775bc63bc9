import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { TinkexError } from "@tinkex/base";
import type { Engine } from "../engine/engine.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { disableTelemetry, WITHOUT_TELEMETRY } from "../runtime/disable-telemetry.js";
import { startEngineProcess } from "./engine-process.js";
import { type EngineThread, WorkerRpcClient } from "./worker-rpc-client.js";

/** The built entry of the engine's thread or process, seen from the built package and from this source file. */
const workerFiles = ["compute/engine-worker.js", "../../dist/compute/engine-worker.js"];

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
  const client = new WorkerRpcClient(startThread(options));
  try {
    const { model, runtime } = await client.call("describe", []);
    return remoteEngine(client, model, runtime);
  } catch (error) {
    await client.close();
    throw error;
  }
}

function remoteEngine(client: WorkerRpcClient, model: Engine["model"], runtime: Engine["runtime"]): Engine {
  return {
    model,
    runtime,
    createAdapter: (...args) => client.call("createAdapter", args),
    loadAdapter: (...args) => client.call("loadAdapter", args),
    saveAdapter: (...args) => client.call("saveAdapter", args),
    copyAdapter: (...args) => client.call("copyAdapter", args),
    releaseAdapter: (...args) => client.call("releaseAdapter", args),
    pass: (...args) => client.call("pass", args),
    optimStep: (...args) => client.call("optimStep", args),
    sample: (task, signal) => client.call("sample", [task], signal),
    close: () => client.close(),
  };
}

function startThread(options: EngineOptions): EngineThread {
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
