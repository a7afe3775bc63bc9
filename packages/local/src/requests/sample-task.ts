import type { EngineModel, SampleTask } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import { promptTokens } from "./engine-datum.js";
import { toEngineSeed } from "./engine-seed.js";
import type { SampleBody } from "./sample-body.js";
import { toTokenIds } from "./tensor-values.js";

/** Most samples of one prompt in one request. */
export const MAX_SAMPLES = 1024;

/** Most entries of `stop`; each is looked for in every text that grows. */
const MAX_STOPS = 1024;

/** Most characters of the texts of `stop` together. */
const MAX_STOP_LENGTH = 65_536;

/** Most entries of the matrices that `topk_prompt_logprobs` asks for: prompt tokens times k. */
const MAX_TOPK_ENTRIES = 2 ** 24;

export interface SampleContext {
  readonly model: EngineModel;
  /** The adapter to sample from; absent for the base model. */
  readonly adapterId: string | undefined;
  /** Session of the client, which shares the engine with others. */
  readonly sessionId: string;
  /** A seed for a request that names none. */
  readonly randomSeed: () => number;
}

/**
 * The engine's task for a sample request.
 *
 * @throws OperationFailure `user` naming the field that is out of range, or that this server does not serve
 */
export function toSampleTask(
  body: SampleBody,
  { model, adapterId, sessionId, randomSeed }: SampleContext,
): SampleTask {
  refuseUnserved(body);
  const { sampling_params: params, num_samples: sampleCount, topk_prompt_logprobs: topk } = body;
  const prompt = promptTokens(body.prompt, "prompt", model);
  requireInteger("num_samples", sampleCount, 1, MAX_SAMPLES);
  requireInteger("topk_prompt_logprobs", topk, 0, model.vocabularySize);
  if (topk * prompt.length > MAX_TOPK_ENTRIES) {
    throw userFailure(
      `topk_prompt_logprobs must be at most ${Math.floor(MAX_TOPK_ENTRIES / prompt.length)} for ${prompt.length} tokens, got ${topk}`,
    );
  }
  requireInteger("sampling_params.top_k", params.top_k, -1, Number.MAX_SAFE_INTEGER);
  requireThat("sampling_params.temperature", params.temperature, params.temperature >= 0, "0 or more");
  requireThat(
    "sampling_params.top_p",
    params.top_p,
    params.top_p > 0 && params.top_p <= 1,
    "above 0 and at most 1",
  );
  // Top-k matrices are of prompt log-probabilities: who asks for them asks for these too.
  const wantsPromptLogprobs = body.prompt_logprobs || topk > 0;
  return {
    ...(adapterId === undefined ? {} : { adapterId }),
    sessionId,
    prompt,
    sampleCount,
    maxTokens: maxTokensOf(params.max_tokens, prompt.length, wantsPromptLogprobs, model),
    seed: params.seed === undefined ? randomSeed() : toEngineSeed(params.seed),
    temperature: params.temperature,
    topK: params.top_k,
    topP: params.top_p,
    ...stopsOf(params.stop, model),
    wantsPromptLogprobs,
    topkPromptLogprobs: topk,
  };
}

/**
 * Reads `max_tokens`, which must fit behind the prompt; absent, the window is filled. A prompt as long as the window can be scored,
 * for which clients ask with one token to sample, since the API has no other way: it is given none.
 */
function maxTokensOf(
  given: number | undefined,
  promptLength: number,
  scoresPrompt: boolean,
  model: EngineModel,
): number {
  const { contextLength, name } = model;
  const room = contextLength - promptLength;
  if (given !== undefined) requireInteger("sampling_params.max_tokens", given, 1, Number.MAX_SAFE_INTEGER);
  if (room === 0 && scoresPrompt && (given ?? 1) === 1) return 0;
  if (given === undefined) {
    if (room > 0) return room;
    throw userFailure(
      `prompt must have at most ${contextLength - 1} tokens to be answered, got ${promptLength}: the window of ${name} has ${contextLength}`,
    );
  }
  if (given <= room) return given;
  throw userFailure(
    `sampling_params.max_tokens must be at most ${room}, got ${given}: the prompt has ${promptLength} tokens, and the window of ` +
      `${name} ${contextLength}`,
  );
}

/** No `stop` at all keeps the model's own end tokens; an empty list stops at nothing. */
function stopsOf(
  stop: SampleBody["sampling_params"]["stop"],
  model: EngineModel,
): Pick<SampleTask, "stopTokenIds" | "stopTexts"> {
  if (stop === undefined) return { stopTokenIds: model.endTokenIds, stopTexts: [] };
  const stops = typeof stop === "string" ? [stop] : stop;
  const texts = stops.filter((entry) => typeof entry === "string");
  const ids = stops.filter((entry) => typeof entry === "number");
  if (stops.length > MAX_STOPS)
    throw userFailure(`sampling_params.stop must have at most ${MAX_STOPS} entries, got ${stops.length}`);
  const textLength = texts.reduce((sum, text) => sum + text.length, 0);
  if (textLength > MAX_STOP_LENGTH) {
    throw userFailure(
      `sampling_params.stop must have at most ${MAX_STOP_LENGTH} characters in all, got ${textLength}`,
    );
  }
  if (texts.length > 0 && ids.length > 0) {
    throw userFailure("sampling_params.stop must be strings or token ids, got both");
  }
  if (texts.includes(""))
    throw userFailure("sampling_params.stop must not hold an empty string, which every answer contains");
  return {
    stopTokenIds: [...toTokenIds(ids, model.vocabularySize, "sampling_params.stop")],
    stopTexts: texts,
  };
}

function refuseUnserved(body: SampleBody): void {
  const asked: Readonly<Record<string, boolean>> = {
    topk_sample_logprobs: body.topk_sample_logprobs !== 0,
    prompt_alt_tokens_k: body.prompt_alt_tokens_k !== 0,
    prompt_logprobs_last_n: body.prompt_logprobs_last_n !== undefined,
    target_prompt_logprobs: body.target_prompt_logprobs !== undefined,
  };
  for (const [field, isAsked] of Object.entries(asked)) {
    if (isAsked) throw userFailure(`${field} is not served by this server; leave it out`);
  }
}

function requireInteger(field: string, value: number, lowest: number, highest: number): void {
  const range = highest === Number.MAX_SAFE_INTEGER ? `from ${lowest}` : `from ${lowest} to ${highest}`;
  requireThat(
    field,
    value,
    Number.isInteger(value) && value >= lowest && value <= highest,
    `a whole number ${range}`,
  );
}

function requireThat(field: string, value: number, isRight: boolean, range: string): void {
  if (!isRight) throw userFailure(`${field} must be ${range}, got ${value}`);
}
