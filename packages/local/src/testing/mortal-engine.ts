import { Worker } from "node:worker_threads";
import { type Logger, systemClock } from "@tinkex/base";
import { onTestFinished } from "vitest";
import { startThread } from "../compute/create-engine.js";
import { SupervisedEngine } from "../compute/supervised-engine.js";
import type { EngineThread } from "../compute/worker-rpc-client.js";
import type { EngineOptions } from "../engine/engine-options.js";

/** Starts an engine whose thread a test can end, and keeps what is logged of it. Its thread runs the built package. */
export async function startMortalEngine(options: EngineOptions) {
  const workers: Worker[] = [];
  const log: string[] = [];
  const note = (message: string) => void log.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const start = (): EngineThread => {
    const thread = startThread(options);
    if (!(thread instanceof Worker)) throw new Error("a test must end a thread, got a process");
    workers.push(thread);
    return thread;
  };
  const engine = await SupervisedEngine.start({ clock: systemClock, logger, start });
  onTestFinished(() => engine.close());
  return { engine, log, workers, kill: async () => void (await workers.at(-1)?.terminate()) };
}
