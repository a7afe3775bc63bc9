import { parentPort, workerData } from "node:worker_threads";
import { parentProcess } from "./engine-process.js";
import { parentThread } from "./engine-thread.js";
import { createInProcessEngine } from "./in-process-engine.js";
import { serveEngine } from "./serve-engine.js";

// The entry of the engine's thread, which has the engine's options as its data, and of its process: `createEngine` starts either.
if (parentPort === null) {
  const { options, port } = parentProcess();
  serveEngine(port, createInProcessEngine(options));
} else {
  serveEngine(parentThread(parentPort), createInProcessEngine(workerData));
}
