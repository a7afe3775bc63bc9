import type { Tensor } from "@tensorflow/tfjs-core";
import { ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import { differentiate } from "./autodiff.js";
import { checkBackend } from "./check-backend.js";
import { type LossInputs, lossInputs } from "./custom-loss-inputs.js";
import { checkLossValue, type TfLossValue } from "./custom-loss-value.js";
import { tf } from "./tf.js";

/** A summand of a custom loss. */
export interface LossPart {
  /** Caller's name of the part, for messages: `the custom loss`. */
  readonly label: string;
  readonly evaluate: (data: readonly Datum[], inputs: LossInputs) => TfLossValue;
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
  /** By the row, if the part depends on it. */
  readonly joined: Tensor | undefined;
  /** By each datum's tensor, if the part depends on that. */
  readonly byDatum: (Tensor | undefined)[];
  readonly metrics: Record<string, number | Tensor>;
};

/**
 * Evaluates and differentiates each part on its own, on the active backend. No tensor is left, whatever happens.
 *
 * @throws ValidationError for a part that cannot be differentiated, or whose value or gradient is not finite, and without a backend
 * @throws what a part throws
 */
export async function differentiateParts(
  parts: readonly LossPart[],
  data: readonly Datum[],
  logprobs: readonly Float32Array[],
): Promise<PartValue[]> {
  checkNotEmpty(logprobs);
  checkBackend(tf);
  await tf.ready();
  const inputs = lossInputs(data, logprobs);
  const pending = startParts(parts, data, inputs);
  try {
    // Backends of browsers give numbers later, and faster when all are asked for at once.
    return await Promise.all(
      pending.map((part, index) => readPart(part, parts[index]?.label ?? "", logprobs)),
    );
  } finally {
    for (const { loss, joined, byDatum, metrics } of pending) {
      tf.dispose([loss, joined, byDatum, metrics]);
    }
  }
}

/**
 * Refuses a batch without numbers: there is nothing to differentiate by, and what a backend takes for the sum of no numbers
 * need not be 0.
 */
function checkNotEmpty(logprobs: readonly Float32Array[]): void {
  if (logprobs.some(({ length }) => length > 0)) return;
  throw new ValidationError("data has no logprobs to compute a loss of: pass datums with target_tokens", {
    path: ["data"],
  });
}

/** Does the synchronous part of the work: the inputs end with it. */
function startParts(parts: readonly LossPart[], data: readonly Datum[], inputs: LossInputs): PendingPart[] {
  try {
    return tf.tidy(() => parts.map((part) => startPart(part, data, inputs)));
  } finally {
    tf.dispose(inputs.leaves);
  }
}

function startPart(part: LossPart, data: readonly Datum[], inputs: LossInputs): PendingPart {
  let metrics: Readonly<Record<string, number | Tensor>> = {};
  const { value, others, gradients } = differentiate(inputs.leaves, () => {
    const result = checkLossValue(part.evaluate(data, inputs), part.label);
    metrics = result.metrics ?? {};
    return {
      value: result.loss,
      others: Object.values(metrics).filter((metric) => typeof metric !== "number"),
    };
  });
  const { joined, datum } = inputs.resultsOf(gradients);
  const kept = others.values();
  return {
    loss: value,
    joined,
    byDatum: data.map((_, index) => datum(index)),
    metrics: Object.fromEntries(
      Object.entries(metrics).map(([name, metric]) => [
        name,
        typeof metric === "number" ? metric : (kept.next().value ?? Number.NaN),
      ]),
    ),
  };
}

async function readPart(
  pending: PendingPart,
  label: string,
  logprobs: readonly Float32Array[],
): Promise<PartValue> {
  const names = Object.keys(pending.metrics);
  const [loss, joined, byDatum, metrics] = await Promise.all([
    numberOf(pending.loss),
    numbersOf(pending.joined),
    // A loss of the row asks for none of them.
    pending.byDatum.some((tensor) => tensor !== undefined)
      ? Promise.all(pending.byDatum.map(numbersOf))
      : undefined,
    Promise.all(Object.values(pending.metrics).map(numberOf)),
  ]);
  if (!Number.isFinite(loss)) {
    throw new ValidationError(`${label} is ${loss} for this batch: it must be finite`);
  }
  let offset = 0;
  const gradients = logprobs.map(({ length }, index) => {
    const ofRow = joined?.subarray(offset, offset + length);
    offset += length;
    const gradient = sumOf(ofRow, byDatum?.[index]);
    if (gradient !== undefined) checkFinite(gradient, index, label);
    return gradient;
  });
  return {
    loss,
    gradients,
    metrics: Object.fromEntries(names.map((name, index) => [name, metrics[index] ?? Number.NaN])),
  };
}

async function numberOf(value: number | Tensor): Promise<number> {
  return typeof value === "number" ? value : Number((await value.data())[0]);
}

async function numbersOf(tensor: Tensor | undefined): Promise<Float32Array | undefined> {
  return tensor?.data<"float32">();
}

function sumOf(a: Float32Array | undefined, b: Float32Array | undefined): Float32Array | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a.map((value, index) => value + (b[index] ?? 0));
}

function checkFinite(gradient: Float32Array, datumIndex: number, label: string): void {
  if (sumOfZeros(gradient) === 0) return;
  const index = gradient.findIndex((slope) => !Number.isFinite(slope));
  throw new ValidationError(
    `the gradient of ${label} is ${gradient[index]} for the logprob ${index} of data[${datumIndex}]: it must be finite`,
    { path: ["data", datumIndex] },
  );
}

/** Gives 0 unless an element is NaN or infinite. In four sums, so that an addition need not wait for the one before. */
function sumOfZeros(values: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let index = 0;
  for (; index + 3 < values.length; index += 4) {
    a += (values[index] ?? 0) * 0;
    b += (values[index + 1] ?? 0) * 0;
    c += (values[index + 2] ?? 0) * 0;
    d += (values[index + 3] ?? 0) * 0;
  }
  for (; index < values.length; index += 1) a += (values[index] ?? 0) * 0;
  return a + b + (c + d);
}
