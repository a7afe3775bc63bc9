import { checkArray, checkNumberList, checkObject, describeValue, ValidationError } from "@tinkex/base";
import type { SampledSequence, SampleResponse } from "@tinkex/types";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { writeTensor } from "../proto-tensor/write-tensor.js";
import { writeTopkMatrix } from "./topk-matrix.js";

/** Room for a response of usual size; the writer grows beyond it. */
const USUAL_BYTES = 4096;

/**
 * Writes a sample result as protobuf, as a server gives it. Written from its end, see {@link ProtoWriter}.
 *
 * @throws ValidationError for a count or a token that is not an int32
 */
export function writeSampleResponse(response: SampleResponse): Uint8Array<ArrayBuffer> {
  checkObject(response, "response", "{ sequences }");
  checkArray(response.sequences, "sequences");
  const writer = new ProtoWriter(new Uint8Array(USUAL_BYTES));
  const { prompt_alt_tokens: altTokens, target_prompt_logprobs: targets } = response;
  if (altTokens !== undefined) {
    const mark = writer.length;
    writeTensor(writer, 2, altTokens.logprobs);
    writeTensor(writer, 1, altTokens.tokens);
    writer.message(6, mark);
  }
  if (targets !== undefined) writeTensor(writer, 5, targets);
  const { prompt_cache_hit_tokens: cacheHits } = response;
  if (!(Number.isInteger(cacheHits) && cacheHits >= 0 && cacheHits < 2 ** 31)) {
    throw new ValidationError(`prompt_cache_hit_tokens must be a count, got ${describeValue(cacheHits)}`, {
      path: ["prompt_cache_hit_tokens"],
    });
  }
  writer.varintField(4, cacheHits);
  if (response.topk_prompt_logprobs !== undefined) writeTopkMatrix(writer, 3, response.topk_prompt_logprobs);
  if (response.prompt_logprobs !== undefined) {
    const mark = writer.length;
    writer.float32(response.prompt_logprobs.map((logprob) => logprob ?? Number.NaN));
    writer.message(2, mark);
  }
  for (let index = response.sequences.length - 1; index >= 0; index -= 1) {
    const sequence = response.sequences[index];
    // Plain JavaScript may leave a hole, which the check names.
    writeSequence(writer, sequence as SampledSequence, index);
  }
  return writer.finish();
}

function writeSequence(writer: ProtoWriter, sequence: SampledSequence, index: number): void {
  checkObject(sequence, `sequences[${index}]`, "{ tokens, stop_reason }");
  checkNumberList(sequence.tokens, `sequences[${index}].tokens`);
  if (sequence.logprobs !== undefined) checkNumberList(sequence.logprobs, `sequences[${index}].logprobs`);
  const mark = writer.length;
  if (sequence.topk_logprobs !== undefined) writeTopkMatrix(writer, 4, sequence.topk_logprobs);
  if (sequence.logprobs !== undefined) {
    const logprobs = writer.length;
    writer.float32(sequence.logprobs);
    writer.message(3, logprobs);
  }
  if (sequence.tokens.length > 0) writeTokens(writer, sequence.tokens, index);
  // Any reason but a stop is that it has run to its length.
  writer.varintField(1, sequence.stop_reason === "stop" ? 0 : 1);
  writer.message(1, mark);
}

function writeTokens(writer: ProtoWriter, tokens: SampledSequence["tokens"], index: number): void {
  const mark = writer.length;
  const bad = writer.int32(tokens);
  if (bad !== -1) {
    throw new ValidationError(
      `sequences[${index}].tokens[${bad}] must be an integer of 32 bits, got ${String(tokens[bad])}`,
      { path: ["sequences", index, "tokens", bad] },
    );
  }
  writer.message(2, mark);
}
