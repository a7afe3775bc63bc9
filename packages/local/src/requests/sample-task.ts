import type { TensorData } from "@tinkex/types";
import type { EngineModel, PromptTargets, SampleTask } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import { promptTokens } from "./engine-datum.js";
import { toEngineSeed } from "./engine-seed.js";
import type { SampleBody } from "./sample-body.js";
import { densify, toTokenIds } from "./tensor-values.js";

/** Most samples of one prompt in one request. */
export const MAX_SAMPLES = 1024;

/** Most entries of `stop`; each is looked for in every text that grows. */
const MAX_STOPS = 1024;

/** Most characters of the texts of `stop` together. */
const MAX_STOP_LENGTH = 65_536;

/** Most entries of a matrix that a request asks for: tokens times k. */
const MAX_TOPK_ENTRIES = 2 ** 24;

/** Most pairs of token and log-probability. To write them down takes seconds, in which nobody else is answered, and a hundred bytes each. */
const MAX_TOPK_PAIRS = 2 ** 22;

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
  const { sampling_params: params, num_samples: sampleCount, topk_prompt_logprobs: topk } = body;
  const { topk_sample_logprobs: topkSampled, prompt_alt_tokens_k: altTokens } = body;
  const prompt = promptTokens(body.prompt, "prompt", model);
  requireInteger("num_samples", sampleCount, 1, MAX_SAMPLES);
  requireWidth("topk_prompt_logprobs", topk, prompt.length, model, MAX_TOPK_PAIRS);
  requireWidth("prompt_alt_tokens_k", altTokens, prompt.length, model);
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
  const promptTargets = targetsOf(body.target_prompt_logprobs, prompt.length, model);
  const isScored = wantsPromptLogprobs || promptTargets !== undefined || altTokens > 0;
  const maxTokens = maxTokensOf(params.max_tokens, prompt.length, isScored, model);
  requireWidth("topk_sample_logprobs", topkSampled, maxTokens * sampleCount, model, MAX_TOPK_PAIRS);
  const lastN = body.prompt_logprobs_last_n;
  if (lastN !== undefined) {
    requireInteger("prompt_logprobs_last_n", lastN, 1, prompt.length - 1);
    if (!wantsPromptLogprobs) {
      throw userFailure("prompt_logprobs_last_n limits prompt_logprobs, which must be true with it");
    }
  }
  return {
    ...(adapterId === undefined ? {} : { adapterId }),
    sessionId,
    prompt,
    sampleCount,
    maxTokens,
    seed: params.seed === undefined ? randomSeed() : toEngineSeed(params.seed),
    temperature: params.temperature,
    topK: params.top_k,
    topP: params.top_p,
    ...stopsOf(params.stop, model),
    wantsPromptLogprobs,
    topkPromptLogprobs: topk,
    ...(lastN === undefined ? {} : { promptLogprobsLast: lastN }),
    ...(topkSampled > 0 && { topkSampleLogprobs: topkSampled }),
    ...(promptTargets && { promptTargets }),
    ...(altTokens > 0 && { promptAltTokens: altTokens }),
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

/**
 * Reads the tokens to score: int64 `[prompt tokens − 1, K]`, −1 where nothing is asked, as are the cells that a sparse tensor
 * does not list.
 */
function targetsOf(
  tensor: TensorData | undefined,
  promptLength: number,
  { vocabularySize }: EngineModel,
): PromptTargets | undefined {
  if (tensor === undefined) return undefined;
  const place = "target_prompt_logprobs";
  const [rows, targetsPerToken = 0] = tensor.shape ?? [];
  if (tensor.dtype !== "int64" || tensor.shape?.length !== 2 || rows !== promptLength - 1) {
    throw userFailure(
      `${place} must be int64 of the shape [${promptLength - 1}, K], one row a token behind the first, got ${tensor.dtype} ` +
        `[${(tensor.shape ?? []).join(", ")}]`,
    );
  }
  requireInteger(`${place}.shape[1]`, targetsPerToken, 1, vocabularySize);
  if (rows * targetsPerToken > MAX_TOPK_ENTRIES) {
    throw userFailure(`${place} must have at most ${MAX_TOPK_ENTRIES} cells, got ${rows * targetsPerToken}`);
  }
  // One more than the id, so that 0 is left for the cells that a sparse tensor does not list.
  const shifted: number[] = [];
  for (const element of tensor.data) {
    const id = Number(element);
    if (!Number.isInteger(id) || id < -1 || id >= vocabularySize) {
      throw userFailure(
        `${place}.data[${shifted.length}] must be a token id from 0 to ${vocabularySize - 1}, or -1 for none, got ${element}`,
      );
    }
    shifted.push(id + 1);
  }
  const ids: number[] = [];
  for (const cell of densify({ ...tensor, data: shifted }, place)) ids.push(Number(cell) - 1);
  return { targetsPerToken, ids: Int32Array.from(ids) };
}

/** Checks the width k of a matrix that a request asks for. */
function requireWidth(
  field: string,
  k: number,
  rows: number,
  { vocabularySize }: EngineModel,
  maxEntries = MAX_TOPK_ENTRIES,
): void {
  requireInteger(field, k, 0, vocabularySize);
  if (k * rows > maxEntries) {
    throw userFailure(
      `${field} must be at most ${Math.floor(maxEntries / rows)} for ${rows} tokens, got ${k}`,
    );
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
