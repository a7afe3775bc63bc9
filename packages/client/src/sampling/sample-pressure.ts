import type { PressureRules } from "@tinkex/http";

/** Submissions of samples on their way at one time, beside their bytes, which the service's configuration says. */
export const SAMPLE_PRESSURE: Omit<PressureRules, "maxBytes"> = {
  most: 400,
  least: 10,
  busyWeight: 20,
  carefulMs: 10_000,
  spreadMs: 250,
};

const SMALL_PROMPT_BYTES = 131_072;
const SMALL_PROMPT_PAUSE_MS = 1_000;
const LARGE_PROMPT_PAUSE_MS = 5_000;

/** How long to be quiet after the service was too busy for a prompt and did not say for how long, in milliseconds. */
export function busyPauseMs(promptBytes: number): number {
  return promptBytes <= SMALL_PROMPT_BYTES ? SMALL_PROMPT_PAUSE_MS : LARGE_PROMPT_PAUSE_MS;
}
