import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What both clients do: train on these pairs, then continue a prompt. */
export interface Flow {
  readonly rank: number;
  readonly seed: number;
  readonly learning_rate: number;
  readonly steps: number;
  readonly data: readonly { readonly prompt: string; readonly answer: string }[];
  readonly sample: { readonly prompt: string; readonly max_tokens: number };
}

export interface FlowResult {
  /** `loss:sum` of each step. */
  readonly losses: readonly number[];
  /** The greedy continuation, and the log-probability of each token. */
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

export const FLOW_FILE = fileURLToPath(new URL("flow.json", import.meta.url));

export function readFlow(): Flow {
  return JSON.parse(readFileSync(FLOW_FILE, "utf8"));
}
