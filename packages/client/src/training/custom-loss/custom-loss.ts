import {
  describeKind,
  isSparse,
  ResponseError,
  raceAbort,
  tensorLayoutFault,
  ValidationError,
} from "@tinkex/base";
import type { CustomLoss, CustomLossValue, Datum, ForwardBackwardOutput, TensorData } from "@tinkex/types";
import type { OperationContext } from "../../future/operation-context.js";
import { combineOutputs, type PassOutput } from "../passes/combine-outputs.js";
import { checkLossInputs } from "../passes/prepare-data.js";
import { passOutput, submitPass } from "../passes/training-pass.js";
import type { TrainedModel } from "../trained-model.js";

/**
 * Runs a custom loss: a pass that scores the targets, the loss here, and a pass that has its gradient. Both passes are one
 * turn, so that nothing called later comes between them.
 *
 * @param name - the loss as errors call it; by default the function's own name
 */
export async function runCustomLoss(
  model: TrainedModel,
  data: readonly Datum[],
  loss: CustomLoss,
  context: OperationContext,
  name = loss.name,
): Promise<PassOutput> {
  const common = { lossFn: "cross_entropy", lossFnConfig: undefined } as const;
  const forwardData = customForwardData(data);
  const { backward, pass, value } = await model.turns.runExclusive(context.signal, async () => {
    const forward = await submitPass(model, { ...common, name: "forward", data: forwardData }, context);
    const logprobs = logprobsOf(combineOutputs(await Promise.all(forward)), data);
    // The loss is not ours to stop; once nobody waits for it, it must not hold up the turns behind it.
    const value = await raceAbort(context.signal, async () => loss(data, logprobs));
    checkValue(value, name === "" ? "the custom loss" : `the custom loss "${name}"`);
    context.signal.throwIfAborted();
    const backwardData = customBackwardData(forwardData, logprobs, value.gradients);
    const pass = { ...common, name: "forward_backward", data: backwardData } as const;
    return { backward: await submitPass(model, pass, context), pass, value };
  });
  context.submitted();
  return customOutput(passOutput(model, pass, await Promise.all(backward)), value);
}

/** @throws ValidationError for a loss that gave something else than its value and gradients, which plain JavaScript may */
function checkValue(value: unknown, what: string): void {
  const example = "{ loss: 1.5, gradients: [[0.1, 0.2]] }";
  if (typeof value !== "object" || value === null) {
    throw new ValidationError(`${what} must give an object like ${example}, got ${describeKind(value)}`, {
      path: ["loss"],
    });
  }
  const { loss, gradients } = value as Partial<CustomLossValue>;
  if (typeof loss !== "number") {
    throw new ValidationError(
      `${what} must give its value as the number loss, e.g. ${example}, got ${describeKind(loss)}`,
      { path: ["loss", "loss"] },
    );
  }
  if (!Number.isFinite(loss)) {
    throw new ValidationError(`${what} is ${loss} for this batch: it must be finite`, {
      path: ["loss", "loss"],
    });
  }
  if (!Array.isArray(gradients) || !gradients.every((each) => typeof each?.length === "number")) {
    throw new ValidationError(
      `${what} must give gradients as an array of one array for each datum, e.g. ${example}`,
      { path: ["loss", "gradients"] },
    );
  }
}

/** @throws ValidationError for a datum without valid `target_tokens`, which a custom loss scores, and for weights that do not fit them */
export function checkCustomData(data: readonly Datum[]): void {
  for (const [index, datum] of data.entries()) {
    targetsOf(datum, index);
    checkLossInputs("custom", datum, index, ["weights"]);
  }
}

/**
 * The data of the first pass: targets and weights alone. The service scores the targets by cross entropy, whose weights may be
 * zero as only the log-probabilities are wanted.
 */
export function customForwardData(data: readonly Datum[]): Datum[] {
  return data.map((datum, index) => {
    const targets = targetsOf(datum, index);
    const weights = datum.loss_fn_inputs.weights ?? sameShape(targets, new Float32Array(targets.data.length));
    return { ...datum, loss_fn_inputs: { target_tokens: targets, weights } };
  });
}

function targetsOf(datum: Datum, index: number): TensorData {
  const { target_tokens: targets } = datum.loss_fn_inputs;
  if (targets !== undefined) return targets;
  throw new ValidationError(
    `data[${index}].loss_fn_inputs.target_tokens is missing: a custom loss scores them`,
    {
      path: ["data", index, "loss_fn_inputs", "target_tokens"],
    },
  );
}

/** The log-probabilities of the first pass, one array per datum. @throws ResponseError when the service left some out */
export function logprobsOf(output: ForwardBackwardOutput, data: readonly Datum[]): Float32Array[] {
  const { loss_fn_outputs: outputs } = output;
  if (outputs.length !== data.length) {
    throw new ResponseError(
      `the service gave ${outputs.length} outputs for ${data.length} datums; a custom loss needs one each`,
    );
  }
  return outputs.map(({ logprobs }, index) => {
    if (logprobs === undefined || logprobs.dtype !== "float32") {
      throw new ResponseError(`the service gave no logprobs for data[${index}]; a custom loss needs them`);
    }
    const targets = data[index]?.loss_fn_inputs.target_tokens;
    if (targets !== undefined && !isSparse(targets) && logprobs.data.length !== targets.data.length) {
      throw new ResponseError(
        `the service gave ${logprobs.data.length} logprobs for the ${targets.data.length} target_tokens of data[${index}]`,
      );
    }
    // Float32, so no bigints; a copy, as the loss may write into what it is given.
    return new Float32Array(logprobs.data as ArrayLike<number>);
  });
}

/**
 * The data of the second pass: with weights -dLoss/dlogprob, the service's own cross entropy (the sum of -logprob · weight)
 * has the gradient of the custom loss.
 *
 * @throws ValidationError naming the datum whose gradient has another length or is not finite
 */
export function customBackwardData(
  forwardData: readonly Datum[],
  logprobs: readonly Float32Array[],
  gradients: readonly ArrayLike<number>[],
): Datum[] {
  if (gradients.length !== forwardData.length) {
    throw new ValidationError(
      `the custom loss gave ${gradients.length} gradients for ${forwardData.length} datums; give one each (zeros for none)`,
    );
  }
  return forwardData.map((datum, index) => {
    const gradient = gradients[index] ?? [];
    const length = logprobs[index]?.length ?? 0;
    if (gradient.length !== length) {
      throw new ValidationError(
        `the gradient of data[${index}] has ${gradient.length} elements, its logprobs ${length}`,
      );
    }
    const weights = negated(gradient, index);
    const targets = targetsOf(datum, index);
    return { ...datum, loss_fn_inputs: { target_tokens: targets, weights: sameShape(targets, weights) } };
  });
}

/** A loop, as `Float32Array.from` with a function takes many times as long. */
function negated(gradient: ArrayLike<number>, datumIndex: number): Float32Array {
  const weights = new Float32Array(gradient.length);
  for (let index = 0; index < weights.length; index += 1) {
    const weight = Math.fround(-(gradient[index] ?? Number.NaN));
    if (!Number.isFinite(weight)) {
      throw new ValidationError(
        `the gradient of data[${datumIndex}] is ${gradient[index]} at index ${index}: it must be finite`,
      );
    }
    weights[index] = weight;
  }
  return weights;
}

/**
 * The result of the second pass as the caller sees it: the service's `loss:sum` is that of the surrogate and is named so; the
 * caller's metrics win, and `loss:sum` is the value of the custom loss.
 */
export function customOutput(output: PassOutput, value: CustomLossValue): PassOutput {
  const { "loss:sum": surrogate, ...metrics } = output.metrics;
  return {
    ...output,
    metrics: {
      ...metrics,
      ...(surrogate === undefined ? {} : { "surrogate_loss:sum": surrogate }),
      ...value.metrics,
      "loss:sum": value.loss,
    },
  };
}

/**
 * Makes a float32 tensor laid out like `tensor`: of the same shape, and sparse where that is and the elements match.
 *
 * @throws ValidationError when the elements do not fill the shape
 */
function sameShape(tensor: TensorData, data: Float32Array): TensorData {
  const { shape, sparse_crow_indices, sparse_col_indices } = tensor;
  const dense: TensorData = { data, dtype: "float32", ...(shape === undefined ? {} : { shape }) };
  const made =
    isSparse(tensor) && data.length === tensor.data.length
      ? { ...dense, sparse_crow_indices, sparse_col_indices }
      : dense;
  const fault = tensorLayoutFault(made);
  if (fault === undefined) return made;
  throw new ValidationError(`the weights of a custom loss: ${fault.field} ${fault.message}`, {
    path: ["weights", fault.field],
  });
}
