import { Worker } from "node:worker_threads";
import { type Clock, type Logger, systemClock } from "@tinkex/base";
import { onTestFinished } from "vitest";
import { startThread } from "../compute/create-engine.js";
import { SupervisedEngine, type Supervision } from "../compute/supervised-engine.js";
import type { EngineThread } from "../compute/worker-rpc-client.js";
import type { EngineOptions } from "../engine/engine-options.js";

export interface MortalEngineSurroundings extends Pick<Supervision, "store"> {
  /** Clock by which it waits before it tries again. @defaultValue that of the system */
  readonly clock?: Clock;
  /** Says of a start, counted from 1, that the system has no thread for it. */
  readonly isRefused?: (start: number) => boolean;
}

/** Starts an engine whose thread a test can end, and keeps what is logged of it. Its thread runs the built package. */
export async function startMortalEngine(
  options: EngineOptions,
  { clock = systemClock, isRefused = () => false, store }: MortalEngineSurroundings = {},
) {
  const workers: Worker[] = [];
  const log: string[] = [];
  let starts = 0;
  const note = (message: string) => void log.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const start = (): EngineThread => {
    starts += 1;
    if (isRefused(starts)) throw new Error("the system has no thread left");
    const thread = startThread(options);
    if (!(thread instanceof Worker)) throw new Error("a test must end a thread, got a process");
    workers.push(thread);
    return thread;
  };
  const engine = await SupervisedEngine.start({ clock, logger, start, store });
  onTestFinished(() => engine.close());
  return { engine, log, workers, kill: async () => void (await workers.at(-1)?.terminate()) };
}
