import type { PromptAltTokens, SampledSequence, SampleResponse } from "@tinkex/types";
import { ProtoReader } from "../proto-bytes/proto-reader.js";
import { float32Of } from "../proto-bytes/read-elements.js";
import { readTensor } from "../proto-tensor/read-tensor.js";
import { readTopkMatrix } from "./topk-matrix.js";

/** Names of the schema's `StopReason`. A number beyond them becomes `unknown(n)`, never a name it is not. */
const stopReasons = ["stop", "length"] as const;

const NO_BYTES = new Uint8Array(0);

/** About what a number takes in a list that may hold nulls, in bytes. */
const LOGPROB_BYTES = 24;

/** Samples a response may have: an empty one takes two bytes, and fifty times as many once it is read. */
const MAX_SEQUENCES = 65_536;

/**
 * Reads a sample result.
 *
 * @throws DecodeError
 */
export function readSampleResponse(body: Uint8Array): SampleResponse {
  const reader = ProtoReader.of(body, "SampleResponse");
  const sequences: SampledSequence[] = [];
  let promptLogprobs: (number | null)[] | undefined;
  let topk: ProtoReader | undefined;
  let cacheHits = 0;
  let target: ProtoReader | undefined;
  let alternatives: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) {
      if (sequences.length === MAX_SEQUENCES)
        throw reader.fault("sequences", `more than ${MAX_SEQUENCES} samples`);
      sequences.push(readSequence(reader.message(`sequences[${sequences.length}]`)));
    } else if (reader.field === 2) promptLogprobs = readPromptLogprobs(reader);
    else if (reader.field === 3) topk = reader.message("topk_prompt_logprobs", topk);
    else if (reader.field === 4) cacheHits = reader.int32("prompt_cache_hit_tokens");
    else if (reader.field === 5) target = reader.message("target_prompt_logprobs", target);
    else if (reader.field === 6) alternatives = reader.message("prompt_alt_tokens", alternatives);
    else reader.skip();
  }
  const topkPromptLogprobs = topk === undefined ? undefined : readTopkMatrix(topk);
  return {
    sequences,
    ...(promptLogprobs === undefined || promptLogprobs.length === 0
      ? {}
      : { prompt_logprobs: promptLogprobs }),
    ...(topkPromptLogprobs === undefined ? {} : { topk_prompt_logprobs: topkPromptLogprobs }),
    prompt_cache_hit_tokens: cacheHits,
    ...(target === undefined ? {} : { target_prompt_logprobs: readTensor(target, { isShapeStated: true }) }),
    ...(alternatives === undefined ? {} : { prompt_alt_tokens: readAltTokens(alternatives) }),
  };
}

function readSequence(reader: ProtoReader): SampledSequence {
  let stopReason = 0;
  let tokens: Uint8Array = NO_BYTES;
  let logprobs: Uint8Array = NO_BYTES;
  let topkReader: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) stopReason = reader.int32("stop_reason");
    else if (reader.field === 2) tokens = reader.elements("tokens", 4);
    else if (reader.field === 3) logprobs = reader.elements("logprobs", 4);
    else if (reader.field === 4) topkReader = reader.message("topk_sampled_logprobs", topkReader);
    else reader.skip();
  }
  const topk = topkReader === undefined ? undefined : readTopkMatrix(topkReader);
  return {
    stop_reason: stopReasons[stopReason] ?? `unknown(${stopReason})`,
    tokens: numbersOf(tokens, false),
    // Empty means absent: presence is not kept by every server.
    ...(logprobs.length === 0 ? {} : { logprobs: numbersOf(logprobs, true) }),
    ...(topk === undefined ? {} : { topk_logprobs: topk }),
  };
}

/** Reads elements of 4 bytes, float32 or int32, into a list: an array of their type between takes longer than a short list. */
function numbersOf(bytes: Uint8Array, areFloats: boolean): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Of its length from the start: one that grows is copied several times.
  const numbers = new Array<number>(bytes.byteLength / 4);
  for (let index = 0; index < numbers.length; index += 1) {
    numbers[index] = areFloats ? view.getFloat32(4 * index, true) : view.getInt32(4 * index, true);
  }
  return numbers;
}

function readPromptLogprobs(reader: ProtoReader): (number | null)[] {
  const values = float32Of(reader.elements("prompt_logprobs", 4));
  reader.spend(values.length * LOGPROB_BYTES, "prompt_logprobs");
  return nullWhereNaN(values);
}

function nullWhereNaN(values: Float32Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

function readAltTokens(reader: ProtoReader): PromptAltTokens {
  let tokens: ProtoReader | undefined;
  let logprobs: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) tokens = reader.message("tokens", tokens);
    else if (reader.field === 2) logprobs = reader.message("logprobs", logprobs);
    else reader.skip();
  }
  if (tokens === undefined) throw reader.fault("tokens", "is missing");
  if (logprobs === undefined) throw reader.fault("logprobs", "is missing");
  return {
    tokens: readTensor(tokens, { isShapeStated: true }),
    logprobs: readTensor(logprobs, { isShapeStated: true }),
  };
}
