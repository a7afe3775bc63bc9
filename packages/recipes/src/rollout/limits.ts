/** Limits of an episode; each is left out where there is none. */
export interface RolloutLimits {
  /** Most answers of the model, those that call tools included. */
  readonly maxTurns: number | undefined;
  /** Most calls of tools. */
  readonly maxToolCalls: number | undefined;
  /** Most tokens that are sampled in all. */
  readonly maxSampledTokens: number | undefined;
}

/** Name of a limit that an episode has reached, as the Python cookbook counts them. */
export type RolloutLimit = "max_turns" | "max_tool_calls" | "max_sampled_tokens";

/** Account of an episode so far. */
export interface RolloutAccount {
  readonly turns: number;
  readonly toolCalls: number;
  readonly sampledTokens: number;
}

/**
 * Finds the limit that stands against another answer of the model; undefined where there is none.
 *
 * @param calls - calls of tools to answer before it
 */
export function reachedLimit(
  { turns, toolCalls, sampledTokens }: RolloutAccount,
  calls: number,
  limits: RolloutLimits,
): RolloutLimit | undefined {
  const {
    maxTurns = Number.POSITIVE_INFINITY,
    maxToolCalls = Number.POSITIVE_INFINITY,
    maxSampledTokens = Number.POSITIVE_INFINITY,
  } = limits;
  if (turns >= maxTurns) return "max_turns";
  if (sampledTokens >= maxSampledTokens) return "max_sampled_tokens";
  return toolCalls + calls > maxToolCalls ? "max_tool_calls" : undefined;
}
