// Server of the bench `health`, in a process of its own: what a health check waits for is its event loop alone. It tells its address, and how
// long its loop stood still.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startLocalServer } from "@tinkex/local";

const server = await startLocalServer({ seed: 1 });
const delay = monitorEventLoopDelay({ resolution: 1 });
/** Longest time that the loop stood still, and the processor time of this process in it: the rest is the machine's. */
let worst = { ms: 0, cpuMs: 0 };
let lastMs = performance.now();
let lastCpu = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(lastCpu);
  const ms = performance.now() - lastMs;
  if (ms > worst.ms) worst = { ms, cpuMs: (user + system) / 1000 };
  lastMs = performance.now();
  lastCpu = process.cpuUsage();
}, 5);
process.on("message", (message) => {
  if (message === "begin") {
    worst = { ms: 0, cpuMs: 0 };
    delay.reset();
    delay.enable();
  } else {
    delay.disable();
    process.send?.({ worst, loopP99Ms: delay.percentile(99) / 1e6, loopMaxMs: delay.max / 1e6 });
  }
});
process.send?.({ url: server.url, model: server.models[0]?.name });

process.once("disconnect", () => void server.close());
