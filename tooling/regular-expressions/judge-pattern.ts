import { checkSync } from "recheck";

/** Most analyses take milliseconds; those that cannot be had by reading alone are a search, which takes some seconds. */
const MAX_ANALYSIS_MS = 50_000;
/** Up to this many repeats a count such as `{0,254}` is written out and read, rather than searched. */
const MAX_REPEAT_COUNT = 1000;

// The part of recheck that needs no native program and no Java.
process.env.RECHECK_BACKEND = "pure";

/** Asks recheck how the time of a pattern grows in the worst case. `linear`, or a sentence that says on which text it does not. */
export function judgePattern(source: string, flags: string): string {
  const verdict = checkSync(source, flags, { timeout: MAX_ANALYSIS_MS, maxRepeatCount: MAX_REPEAT_COUNT });
  switch (verdict.status) {
    case "safe":
      return "linear";
    case "vulnerable":
      return `${verdict.complexity.summary} on ${verdict.attack.pattern}`;
    case "unknown":
      return `not shown to be linear (${verdict.error.kind}): write it simpler, or search with indexOf`;
  }
}
