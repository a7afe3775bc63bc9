import { readFileSync } from "node:fs";

/**
 * Tells the most memory that this process has had, in KiB. Linux counts in `maxRSS` of a new process what its parent had when it was
 * started; `VmHWM` is its own.
 */
export function maxRssKb() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  const line = readFileSync("/proc/self/status", "utf8")
    .split("\n")
    .find((candidate) => candidate.startsWith("VmHWM:"));
  return Number.parseInt(line?.slice("VmHWM:".length) ?? "", 10);
}
