import type { Tensor } from "@tensorflow/tfjs-core";
import { type Datum, ValidationError } from "@tinkex/types/base";
import { differentiate } from "./autodiff.js";
import { checkLossValue, type TfLossValue } from "./custom-loss-value.js";
import { tf } from "./tf.js";

/** A summand of a custom loss. */
export interface LossPart {
  /** What it is to the caller, for messages: `the custom loss`. */
  readonly label: string;
  readonly evaluate: (data: readonly Datum[], logprobs: readonly Tensor[]) => TfLossValue;
}

/** A part's numbers for one batch. */
export interface PartValue {
  readonly loss: number;
  /** For each datum dLoss/dlogprob, or undefined where the part does not depend on its log-probabilities. */
  readonly gradients: readonly (Float32Array | undefined)[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** A part's numbers while the backend still has them: a type that `tf.tidy` lets out of its scope. */
type PendingPart = {
  readonly loss: Tensor;
  /** The gradients there are, one after the other. */
  readonly gradient: Tensor;
  readonly hasGradient: boolean[];
  readonly metrics: Record<string, number | Tensor>;
};

/**
 * Evaluates and differentiates each part on its own, on the active backend. No tensor is left, whatever happens.
 *
 * @throws ValidationError for a part that cannot be differentiated, or whose value or gradient is not finite
 * @throws what a part throws
 */
export async function differentiateParts(
  parts: readonly LossPart[],
  data: readonly Datum[],
  logprobs: readonly Float32Array[],
): Promise<PartValue[]> {
  await tf.ready();
  const pending = tf.tidy(() => {
    const inputs = logprobs.map((values, index) => tf.tensor(values, shapeOf(data[index], values.length)));
    return parts.map((part) => startPart(part, data, inputs));
  });
  try {
    // Backends of browsers give numbers later, and faster when all are asked for at once.
    return await Promise.all(
      pending.map((part, index) => readPart(part, parts[index]?.label ?? "", logprobs)),
    );
  } finally {
    tf.dispose(pending.flatMap(({ loss, gradient, metrics }) => [loss, gradient, ...tensorsIn(metrics)]));
  }
}

/** The shape of the targets, whose log-probabilities these are; a flat list where that lists other elements (sparse targets). */
function shapeOf(datum: Datum | undefined, length: number): number[] {
  const shape = datum?.loss_fn_inputs.target_tokens?.shape ?? [length];
  return shape.reduce((count, size) => count * size, 1) === length ? [...shape] : [length];
}

function startPart(part: LossPart, data: readonly Datum[], inputs: readonly Tensor[]): PendingPart {
  let metrics: Readonly<Record<string, number | Tensor>> = {};
  const { value, others, gradients } = differentiate(inputs, () => {
    const result = checkLossValue(part.evaluate(data, inputs), part.label);
    metrics = result.metrics ?? {};
    return { value: result.loss, others: tensorsIn(metrics) };
  });
  const present = gradients.filter((gradient) => gradient !== undefined);
  const kept = others.values();
  return {
    loss: value,
    gradient:
      present.length === 0 ? tf.zeros([0]) : tf.concat(present.map((gradient) => tf.reshape(gradient, [-1]))),
    hasGradient: gradients.map((gradient) => gradient !== undefined),
    metrics: Object.fromEntries(
      Object.entries(metrics).map(([name, metric]) => [
        name,
        typeof metric === "number" ? metric : (kept.next().value ?? Number.NaN),
      ]),
    ),
  };
}

function tensorsIn(metrics: Readonly<Record<string, number | Tensor>>): Tensor[] {
  return Object.values(metrics).filter((metric) => typeof metric !== "number");
}

async function readPart(
  pending: PendingPart,
  label: string,
  logprobs: readonly Float32Array[],
): Promise<PartValue> {
  const [loss, flat, ...metrics] = await Promise.all([
    numberOf(pending.loss),
    pending.gradient.data<"float32">(),
    ...Object.values(pending.metrics).map(numberOf),
  ]);
  if (!Number.isFinite(loss))
    throw new ValidationError(`${label} is ${loss} for this batch: it must be finite`);
  let offset = 0;
  const gradients = logprobs.map(({ length }, index) => {
    if (pending.hasGradient[index] !== true) return undefined;
    const gradient = flat.subarray(offset, offset + length);
    offset += length;
    checkFinite(gradient, index, label);
    return gradient;
  });
  const names = Object.keys(pending.metrics);
  return {
    loss,
    gradients,
    metrics: Object.fromEntries(names.map((name, index) => [name, metrics[index] ?? Number.NaN])),
  };
}

async function numberOf(value: number | Tensor): Promise<number> {
  return typeof value === "number" ? value : Number((await value.data())[0]);
}

function checkFinite(gradient: Float32Array, datumIndex: number, label: string): void {
  const bad = gradient.findIndex((value) => !Number.isFinite(value));
  if (bad === -1) return;
  throw new ValidationError(
    `the gradient of ${label} is ${gradient[bad]} for the logprob ${bad} of data[${datumIndex}]: it must be finite`,
    { path: ["data", datumIndex] },
  );
}
