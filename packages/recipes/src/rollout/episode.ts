import { checkFunction, ValidationError } from "@tinkex/base";
import type { Message, Termination, ToolCall } from "@tinkex/renderers";
import type { RolloutLimit } from "./limits.js";
import type { ToolResult } from "./tool.js";

/** Prompt of one turn: a text to continue as it is, or messages, which are rendered. */
export type Prompt = string | readonly Message[];

/** An answer of the model. */
export interface Reply {
  /** The text without the end token; of a message the text of its parts. */
  readonly text: string;
  /** The message that was read, where the prompt had messages. */
  readonly message: Message | undefined;
  /** Calls of tools in this message. Where the run has `tools`, they were answered already, unless a limit was reached. */
  readonly toolCalls: readonly ToolCall[];
  /** Calls that were answered before this reply, since what was shown last, in order. */
  readonly toolResults: readonly ToolResult[];
  /** The limit that kept further calls of tools from being answered. */
  readonly limit: RolloutLimit | undefined;
  /** Sampled ids, the end token included. */
  readonly tokens: readonly number[];
  /** Log-probability of each. */
  readonly logprobs: readonly number[];
  /** Reason of the service, e.g. `stop` or `length`. */
  readonly stopReason: string;
  /** `malformed` where the end token is missing, as a rule because the model ran out of tokens. */
  readonly termination: Termination;
}

/** A reward with what there is to log. */
export interface Reward {
  readonly reward: number;
  /** Numbers by name; their means are metrics of the step. */
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

/**
 * Several turns: an async generator that yields what the model sees next, receives the reply, and returns the reward. What it yields is
 * put behind what was before: a string behind the text, messages behind the messages. Its `finally` is the clean-up, which runs also
 * when the run is aborted or a limit runs out.
 */
export type Episode = AsyncGenerator<Prompt, number | Reward, Reply>;

/** The worth of a reply: a number, or one with what there is to log. It may be asynchronous. */
export type Judge<Problem> = (problem: Problem, reply: Reply) => number | Reward | Promise<number | Reward>;

/** An episode of one turn: a prompt, and the reward of the reply to it. */
export function singleTurn<Problem>(
  prompt: (problem: Problem) => Prompt,
  reward: Judge<Problem>,
): (problem: Problem) => Episode {
  return async function* (problem): Episode {
    const reply = yield prompt(problem);
    return reward(problem, reply);
  };
}

/**
 * Checks that problems are asked in one way: by a prompt whose answer is judged, or by an episode.
 *
 * @param judge - name of the option that judges
 * @throws ValidationError
 */
export function checkAsking(
  options: { readonly prompt?: unknown; readonly episode?: unknown; readonly [judge: string]: unknown },
  method: string,
  judge: "reward" | "score",
  isJudgeNeeded = true,
): void {
  if (options.episode === undefined) {
    checkFunction(options.prompt, `${method}: prompt`);
    if (isJudgeNeeded || options[judge] !== undefined) checkFunction(options[judge], `${method}: ${judge}`);
    return;
  }
  checkFunction(options.episode, `${method}: episode`);
  if (options.prompt === undefined && options[judge] === undefined) return;
  throw new ValidationError(`${method}: give prompt and ${judge}, or episode, not both`);
}
