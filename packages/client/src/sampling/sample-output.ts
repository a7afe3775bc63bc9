import { ResponseError } from "@tinkex/base";
import type {
  ReceivedFloat32Tensor,
  ReceivedInt64Tensor,
  SampleResponse,
  TensorData,
  TensorDtype,
} from "@tinkex/types";
import { isReceivedTensor } from "../channel/is-received-tensor.js";

/** The result of sampling one prompt. Its tensors hold the typed array of their dtype, so that `data.map` and the like compile. */
export interface SampleOutput extends SampleResponse {
  /** Scores in shape and layout of the request's tensor, float32; 0 where it had -1. */
  readonly target_prompt_logprobs?: ReceivedFloat32Tensor;
  /** Tokens drawn at prompt positions, and their log-probabilities: both `[promptLength - 1, k]`. */
  readonly prompt_alt_tokens?: {
    readonly tokens: ReceivedInt64Tensor;
    readonly logprobs: ReceivedFloat32Tensor;
  };
}

/**
 * Checks what the type of an answer says of its tensors.
 *
 * @throws ResponseError naming the field
 */
export function checkSampleTensors(response: SampleResponse): asserts response is SampleOutput {
  const { target_prompt_logprobs: scores, prompt_alt_tokens: drawn } = response;
  if (scores !== undefined) checkTensor("target_prompt_logprobs", scores, "float32");
  if (drawn === undefined) return;
  checkTensor("prompt_alt_tokens.tokens", drawn.tokens, "int64");
  checkTensor("prompt_alt_tokens.logprobs", drawn.logprobs, "float32");
}

function checkTensor(field: string, tensor: TensorData, dtype: TensorDtype): void {
  if (tensor.dtype !== dtype)
    throw new ResponseError(`the service gave ${field} that must be ${dtype}, got ${tensor.dtype}`);
  if (!isReceivedTensor(tensor))
    throw new ResponseError(`the service gave ${field} that is no array of ${dtype}`);
}
