import { parentPort, workerData } from "node:worker_threads";
import type { EngineOptions } from "./engine-options.js";
import { createInProcessEngine } from "./in-process-engine.js";
import { serveEngine } from "./serve-engine.js";

// The entry of the engine's thread: `createEngine` starts it, with the engine's options as its data.
if (parentPort === null) throw new Error("engine-worker runs only as a worker thread.");
const options: EngineOptions = workerData;
serveEngine(parentPort, createInProcessEngine(options));
