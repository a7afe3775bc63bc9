// Loaded before the server of the bench `soak` (`node --import`): tells its parent the memory that is in use once garbage is collected, and
// writes a heap snapshot where it is asked to.
import { writeHeapSnapshot } from "node:v8";

process.on("message", (message) => {
  if (typeof message === "string" && message.startsWith("snapshot ")) {
    process.send?.({ snapshot: writeHeapSnapshot(message.slice("snapshot ".length)) });
    return;
  }
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heapUsed, external });
});
// The server ends by its signal, as it does without a parent that listens.
process.channel?.unref();
