import type { PromptAltTokens, SampledSequence, SampleResponse } from "@tinkex/types";
import { delimitedSize, varintFieldSize } from "../proto-bytes/field-size.js";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { tensorSize } from "../proto-tensor/tensor-size.js";
import { writeTensor } from "../proto-tensor/write-tensor.js";
import { topkMatrixSize, writeTopkMatrix } from "./topk-matrix.js";

/** The protobuf form of a sample result, as a server gives it. */
export function writeSampleResponse(response: SampleResponse): Uint8Array<ArrayBuffer> {
  const writer = new ProtoWriter(responseSize(response));
  for (const sequence of response.sequences) {
    writer.delimited(1, sequenceSize(sequence));
    writeSequence(writer, sequence);
  }
  const {
    prompt_logprobs: promptLogprobs,
    topk_prompt_logprobs: topk,
    target_prompt_logprobs: targets,
  } = response;
  if (promptLogprobs !== undefined) {
    writer.delimited(2, promptLogprobs.length * 4);
    writer.float32List(promptLogprobs.map((logprob) => logprob ?? Number.NaN));
  }
  if (topk !== undefined) {
    writer.delimited(3, topkMatrixSize(topk));
    writeTopkMatrix(writer, topk);
  }
  writer.varintField(4, response.prompt_cache_hit_tokens);
  if (targets !== undefined) {
    writer.delimited(5, tensorSize(targets));
    writeTensor(writer, targets);
  }
  if (response.prompt_alt_tokens !== undefined) {
    writer.delimited(6, altTokensSize(response.prompt_alt_tokens));
    writer.delimited(1, tensorSize(response.prompt_alt_tokens.tokens));
    writeTensor(writer, response.prompt_alt_tokens.tokens);
    writer.delimited(2, tensorSize(response.prompt_alt_tokens.logprobs));
    writeTensor(writer, response.prompt_alt_tokens.logprobs);
  }
  return writer.finish();
}

function responseSize(response: SampleResponse): number {
  const {
    prompt_logprobs: promptLogprobs,
    topk_prompt_logprobs: topk,
    target_prompt_logprobs: targets,
  } = response;
  const altTokens = response.prompt_alt_tokens;
  return (
    response.sequences.reduce((sum, sequence) => sum + delimitedSize(sequenceSize(sequence)), 0) +
    (promptLogprobs === undefined ? 0 : delimitedSize(promptLogprobs.length * 4)) +
    (topk === undefined ? 0 : delimitedSize(topkMatrixSize(topk))) +
    varintFieldSize(response.prompt_cache_hit_tokens) +
    (targets === undefined ? 0 : delimitedSize(tensorSize(targets))) +
    (altTokens === undefined ? 0 : delimitedSize(altTokensSize(altTokens)))
  );
}

function altTokensSize({ tokens, logprobs }: PromptAltTokens): number {
  return delimitedSize(tensorSize(tokens)) + delimitedSize(tensorSize(logprobs));
}

/** Number of the schema's `StopReason`; what is not a stop has run to its length. */
function stopReasonNumber(sequence: SampledSequence): number {
  return sequence.stop_reason === "stop" ? 0 : 1;
}

function sequenceSize(sequence: SampledSequence): number {
  const { tokens, logprobs, topk_logprobs: topk } = sequence;
  return (
    varintFieldSize(stopReasonNumber(sequence)) +
    (tokens.length === 0 ? 0 : delimitedSize(tokens.length * 4)) +
    (logprobs === undefined ? 0 : delimitedSize(logprobs.length * 4)) +
    (topk === undefined ? 0 : delimitedSize(topkMatrixSize(topk)))
  );
}

function writeSequence(writer: ProtoWriter, sequence: SampledSequence): void {
  const { tokens, logprobs, topk_logprobs: topk } = sequence;
  writer.varintField(1, stopReasonNumber(sequence));
  if (tokens.length > 0) {
    writer.delimited(2, tokens.length * 4);
    writer.int32List(tokens);
  }
  if (logprobs !== undefined) {
    writer.delimited(3, logprobs.length * 4);
    writer.float32List(logprobs);
  }
  if (topk !== undefined) {
    writer.delimited(4, topkMatrixSize(topk));
    writeTopkMatrix(writer, topk);
  }
}
