import { grow, type HostileInput } from "./hostile-inputs.js";
import { findSteepGrowth, type SteepGrowth } from "./measure-growth.js";

/** Runs a pattern on growing texts, in the ways a program can use it, and finds one on which it is slow. */
export function findSlowInput(
  pattern: RegExp,
  inputs: readonly HostileInput[],
): { readonly input: HostileInput; readonly growth: SteepGrowth } | undefined {
  useOn(pattern, "a");
  for (const input of inputs) {
    const growth = findSteepGrowth(
      (text) => useOn(pattern, text),
      (length) => grow(input, length),
    );
    if (growth !== undefined) return { input, growth };
  }
  return undefined;
}

function useOn(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.sticky) {
    // A sticky pattern is asked where the last match ended, until it fails or stands still.
    for (let place = -1; pattern.test(text) && pattern.lastIndex > place; ) place = pattern.lastIndex;
    return;
  }
  text.replace(pattern, "");
  text.split(pattern);
}
