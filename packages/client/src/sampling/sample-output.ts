import { isSparse, ResponseError } from "@tinkex/base";
import type {
  ReceivedFloat32Tensor,
  ReceivedInt64Tensor,
  SampleRequest,
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

/**
 * Checks that an answer has as many sequences, scores and rows as were asked for, and gives its tensors in the shape that was asked
 * for. Whoever reads them by position would take those of others otherwise.
 *
 * @param promptLength - tokens of the prompt; `undefined` where only the service can count them
 * @param isScoring - only the scores of the prompt are wanted, so that any number of sequences will do
 * @throws ResponseError naming the place, and both counts
 */
export function inAskedCounts(
  request: SampleRequest,
  response: SampleOutput,
  promptLength: number | undefined,
  isScoring: boolean,
): SampleOutput {
  const { num_samples: wanted = 1, topk_sample_logprobs = 0 } = request;
  const { sequences, target_prompt_logprobs: scores, prompt_alt_tokens: drawn } = response;
  if (sequences.length !== wanted && !isScoring) {
    throw new ResponseError(`the service gave ${sequences.length} sequences for num_samples ${wanted}`);
  }
  let index = 0;
  for (const { tokens, logprobs, topk_logprobs } of sequences) {
    if (logprobs !== undefined) checkTokens("logprobs", logprobs, tokens, index);
    if (topk_logprobs !== undefined && topk_sample_logprobs > 0)
      checkTokens("topk_logprobs", topk_logprobs, tokens, index);
    index += 1;
  }
  const { target_prompt_logprobs: targets, prompt_alt_tokens_k: width = 0 } = request;
  let output = response;
  if (scores !== undefined && targets !== undefined)
    output = { ...output, target_prompt_logprobs: inShapeOf(targets, scores) };
  if (drawn === undefined || width === 0) return output;
  const { tokens, logprobs } = drawn;
  const shape = [promptLength === undefined ? rowCount(tokens, width) : promptLength - 1, width];
  return {
    ...output,
    prompt_alt_tokens: {
      tokens: inShape("prompt_alt_tokens.tokens", tokens, shape),
      logprobs: inShape("prompt_alt_tokens.logprobs", logprobs, shape),
    },
  };
}

function checkTokens(
  field: string,
  list: ArrayLike<unknown>,
  tokens: ArrayLike<unknown>,
  index: number,
): void {
  if (list.length === tokens.length) return;
  throw new ResponseError(
    `the service gave ${list.length} ${field} for the ${tokens.length} tokens of sequences[${index}]`,
  );
}

/** Gives scores in the shape of the tensor that asked for them, and checks that they are as many where both are dense or both sparse. */
function inShapeOf(targets: TensorData, scores: ReceivedFloat32Tensor): ReceivedFloat32Tensor {
  const shaped = inShape("target_prompt_logprobs", scores, shapeOf(targets));
  if (isSparse(scores) !== isSparse(targets) || scores.data.length === targets.data.length) return shaped;
  throw new ResponseError(
    `the service gave ${scores.data.length} target_prompt_logprobs where ${targets.data.length} were asked for`,
  );
}

/** Gives a tensor in a shape. One that came without its shape, which reads as a row, takes it where the elements are as many. */
function inShape<Tensor extends TensorData>(
  field: string,
  tensor: Tensor,
  wanted: readonly number[],
): Tensor {
  const shape = shapeOf(tensor);
  if (shape.length === wanted.length && shape.every((size, axis) => size === wanted[axis])) return tensor;
  const count = wanted.reduce((product, size) => product * size, 1);
  if (shape.length < 2 && tensor.data.length === count) return { ...tensor, shape: wanted };
  throw new ResponseError(
    `the service gave ${field} of shape [${shape.join(", ")}]; it must be [${wanted.join(", ")}]`,
  );
}

/** Rows of a tensor of rows of this width. */
function rowCount(tensor: TensorData, width: number): number {
  const shape = shapeOf(tensor);
  return shape.length < 2 ? Math.ceil(tensor.data.length / width) : (shape[0] ?? 0);
}

/** Gives the shape of a tensor; one that states none is a row. */
function shapeOf({ shape, data }: TensorData): readonly number[] {
  return shape ?? [data.length];
}
