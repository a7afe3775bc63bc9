import { checkArray, checkString, describeValue, ValidationError } from "@tinkex/base";
import type { Renderer, RendererName } from "@tinkex/renderers";
import { checkCount } from "../run/recipe-options.js";
import { checkRenderer, type TrainingTools } from "../run/training-tools.js";
import type { FailurePolicy, RolloutRules } from "./rollout-rules.js";
import { checkTools, type Tools, toolDeclarations } from "./tool.js";

/** Options of everything that has problems answered. */
export interface RolloutOptions {
  /** Most tokens of an answer. */
  readonly maxTokens: number;
  /** 0 always takes the likeliest token, for measuring alone. @defaultValue 1, as the log-probabilities of the loss suppose */
  readonly temperature?: number | undefined;
  /** Texts that end the continuation of a string; messages end as their renderer says. @defaultValue none */
  readonly stop?: readonly string[] | undefined;
  /** Renderer of messages, or its name. @defaultValue the one that is recommended for the model */
  readonly renderer?: Renderer | RendererName | undefined;
  /** Tools that the model is told of, by name. Its calls of one message are answered at the same time, and it is asked on. @defaultValue none */
  readonly tools?: Tools | undefined;
  /** Most answers of an episode, those that call tools included. @defaultValue 16 with `tools`, else no limit */
  readonly maxTurns?: number | undefined;
  /** Most calls of tools in an episode. @defaultValue no limit */
  readonly maxToolCalls?: number | undefined;
  /** Most tokens that an episode samples in all. @defaultValue no limit */
  readonly maxSampledTokens?: number | undefined;
  /** Treatment of an answer whose reward throws, is no number or does not come. @defaultValue "fail" */
  readonly onFailure?: FailurePolicy | undefined;
  /** Milliseconds for one episode, its reward included. @defaultValue 600,000 */
  readonly timeLimitMs?: number | undefined;
}

/** The names of {@link RolloutOptions}. */
export const ROLLOUT_OPTIONS: Readonly<Record<keyof RolloutOptions, true>> = {
  maxTokens: true,
  temperature: true,
  stop: true,
  renderer: true,
  tools: true,
  maxTurns: true,
  maxToolCalls: true,
  maxSampledTokens: true,
  onFailure: true,
  timeLimitMs: true,
};

const POLICIES: readonly FailurePolicy[] = ["fail", "retry", "continue"];

/** Milliseconds for an episode where none are given. */
const TIME_LIMIT_MS = 600_000;
/** Answers of an episode with tools where no limit is given: a model may call them for ever. */
const MAX_TURNS_WITH_TOOLS = 16;

/** Checks the options of rollouts. @throws ValidationError */
export function checkRolloutOptions(options: RolloutOptions, method: string): void {
  checkCount(options.maxTokens, `${method}: maxTokens`, 1);
  if (options.maxTokens === undefined) {
    throw new ValidationError(`${method}: maxTokens must be given, e.g. 256`);
  }
  for (const name of ["maxTurns", "maxToolCalls", "maxSampledTokens"] as const) {
    checkCount(options[name], `${method}: ${name}`, 1);
  }
  if (options.stop !== undefined) checkArray(options.stop, `${method}: stop`);
  for (const [index, text] of (options.stop ?? []).entries()) {
    checkString(text, `${method}: stop[${index}]`, "\n");
    if (text !== "") continue;
    throw new ValidationError(`${method}: stop[${index}] must be a text, e.g. "\\n", got ""`);
  }
  if (options.tools !== undefined) checkTools(options.tools, method);
  const { onFailure = "fail", timeLimitMs = 1, temperature = 1 } = options;
  if (!POLICIES.includes(onFailure)) {
    throw new ValidationError(
      `${method}: onFailure must be "fail", "retry" or "continue", got ${describeValue(onFailure)}`,
    );
  }
  checkRenderer(options.renderer, `${method}: renderer`);
  if (!(Number.isFinite(timeLimitMs) && timeLimitMs > 0)) {
    throw new ValidationError(`${method}: timeLimitMs must be above 0, got ${describeValue(timeLimitMs)}`);
  }
  if (!(Number.isFinite(temperature) && temperature >= 0)) {
    throw new ValidationError(`${method}: temperature must be 0 or more, got ${describeValue(temperature)}`);
  }
}

/** Rules of rollouts that do not change between groups. */
export type SharedRules<Problem> = Omit<RolloutRules<Problem>, "sampler" | "signal">;

/** Rules of rollouts by the options of a recipe. @param parts - what the recipe decides by itself */
export function rolloutRules<Problem>(
  options: RolloutOptions,
  method: string,
  loaded: TrainingTools,
  parts: Pick<
    RolloutRules<Problem>,
    "groupSize" | "episode" | "hasSharedPrompt" | "groupReward" | "clock" | "warn"
  >,
): SharedRules<Problem> {
  const { tools, stop = [], maxTurns, maxToolCalls, maxSampledTokens, temperature = 1 } = options;
  return {
    ...parts,
    tools: { ...loaded, stop, declarations: tools && toolDeclarations(tools, method) },
    toolbox: tools,
    params: { max_tokens: options.maxTokens, temperature },
    limits: {
      maxTurns: maxTurns ?? (tools && MAX_TURNS_WITH_TOOLS),
      maxToolCalls,
      maxSampledTokens,
    },
    onFailure: options.onFailure ?? "fail",
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
  };
}

/** Options of rollouts that decide the result, by the names of the Python cookbook where it has one. */
export function rolloutConfig(options: RolloutOptions, method: string) {
  const { renderer, tools } = options;
  return {
    renderer_name: typeof renderer === "object" ? renderer.name : (renderer ?? null),
    max_tokens: options.maxTokens,
    temperature: options.temperature ?? 1,
    stop: [...(options.stop ?? [])],
    // As JSON, since a schema may hold what is no plain data.
    tools: tools === undefined ? null : JSON.stringify(toolDeclarations(tools, method)),
    max_turns: options.maxTurns ?? null,
    max_tool_calls: options.maxToolCalls ?? null,
    max_sampled_tokens: options.maxSampledTokens ?? null,
  };
}
