import {
  checkKnownNames,
  checkObject,
  defineOwn,
  describeKind,
  isSparse,
  ValidationError,
} from "@tinkex/base";
import { TensorData, type TensorLike, TensorMemory } from "@tinkex/tensor";
import {
  checkSent,
  DATUM_FIELDS,
  type Datum,
  type LossFnConfig,
  type LossFnType,
  lossFnTypeSchema,
  type ModelInput,
  provenanceSpanSchema,
  spanFault,
  type TokenSource,
} from "@tinkex/types";
import { toModelInput } from "../../inputs/model-input.js";
import type { SpareMemories } from "../../inputs/spare-memories.js";
import type { PassOptions } from "../training-options.js";

/**
 * A training example of N positions as it is given: like a {@link Datum}, with tokens for the input and anything numeric for
 * tensors (arrays, nested lists, typed arrays, tensors of tfjs).
 *
 * @example
 * // Predict [2, 3] from [1, 2]: targets are the input shifted by one, and both have N = 2 positions.
 * const datum = { model_input: [1, 2], loss_fn_inputs: { target_tokens: [2, 3], weights: [1, 1] } };
 */
export interface DatumLike extends Omit<Datum, "model_input" | "loss_fn_inputs"> {
  /** N token ids, or a model input whose chunks take N positions in all. */
  readonly model_input: ModelInput | TokenSource;
  /**
   * Tensors of the loss by name, aligned to `model_input`: `target_tokens` (int64, `[N]`; `target_tokens[i]` is the token that
   * follows `model_input[i]`), and float32 ones of the same shape, such as `weights`, `logprobs` and `advantages`.
   */
  readonly loss_fn_inputs: Readonly<Record<string, TensorLike>>;
}

/** One forward, or forward and backward, pass over checked data. */
export interface TrainingPass {
  readonly name: "forward" | "forward_backward";
  readonly data: readonly Datum[];
  readonly lossFn: LossFnType;
  readonly lossFnConfig: LossFnConfig | undefined;
  /** Says that metrics that cannot be joined fail the call. */
  readonly isStrict?: boolean | undefined;
  /** Holds the tensors that were cast, and goes to another pass when nobody reads them any more. */
  readonly memory?: TensorMemory | undefined;
}

/** Methods of a training client that make a pass with a loss of the service's. */
export type PassMethod = "forward" | "forwardBackward" | "trainStep";

/**
 * Checks the arguments of a pass, and casts its tensors.
 *
 * @param memories - memory of passes before
 * @throws ValidationError naming datum, key and index; for a loss that does not exist, with those that do
 */
export function preparePass(
  method: PassMethod,
  data: readonly DatumLike[],
  lossFn: LossFnType,
  { loss_fn_config: config, unchecked: isUnchecked = false, strictMetrics: isStrict }: PassOptions,
  memories: SpareMemories,
): TrainingPass {
  if (typeof lossFn !== "string") refuseLossValue(method, lossFn);
  if (!isUnchecked && !Object.hasOwn(REQUIRED_INPUTS, lossFn)) refuseLoss(method, lossFn);
  const lossFnConfig = config === undefined ? undefined : checkedLossConfig(config);
  const name = method === "forward" ? "forward" : "forward_backward";
  const memory = memories.take();
  try {
    const prepared = prepareData(method, data, memory);
    if (!isUnchecked) {
      for (let index = 0; index < prepared.length; index += 1) {
        const datum = prepared[index];
        if (datum !== undefined) checkLossInputs(lossFn, datum, index);
      }
    }
    return { name, data: prepared, lossFn, lossFnConfig, isStrict, memory };
  } catch (error) {
    // Nobody reads the tensors of a batch that was refused.
    memories.giveBack(memory);
    throw error;
  }
}

/** @throws ValidationError for a loss that is no name, with the method that takes one of the caller's own */
function refuseLossValue(method: PassMethod, lossFn: unknown): never {
  const mayBeOwnLoss = typeof lossFn === "function" || (typeof lossFn === "object" && lossFn !== null);
  const advice = mayBeOwnLoss ? "; forwardBackwardCustom takes a loss of your own" : "";
  throw new ValidationError(
    `${method}: loss_fn must be the name of a loss, e.g. "cross_entropy", got ${describeKind(lossFn)}${advice}`,
    { path: ["loss_fn"] },
  );
}

/** @throws ValidationError for a loss that this package does not know, with the way round */
function refuseLoss(method: string, lossFn: LossFnType): void {
  try {
    checkSent(lossFnTypeSchema, lossFn, `${method}: loss_fn`);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const advice = "unchecked: true sends a loss of a newer service";
    throw new ValidationError(`${error.message} (${advice})`, { path: error.path, cause: error });
  }
}

/** Tensors that a loss reads beside `weights`, which are 1 where they are left out; those of unpublished formulas are not known. */
const REQUIRED_INPUTS: Readonly<Record<LossFnType, readonly string[]>> = {
  cross_entropy: ["target_tokens"],
  importance_sampling: ["target_tokens", "logprobs", "advantages"],
  ppo: ["target_tokens", "logprobs", "advantages"],
  cispo: ["target_tokens", "logprobs", "advantages"],
  dro: ["target_tokens", "logprobs", "advantages"],
  gspo: ["target_tokens"],
  stable_reinforce: ["target_tokens"],
  custom: [],
};

/** Tensors that have one element for each target. */
const ALIGNED_INPUTS = [
  "weights",
  "logprobs",
  "advantages",
  "mask",
  "sequence_ratio_mask",
  "clip_low_threshold",
  "clip_high_threshold",
];

/**
 * Checks that a datum has what its loss reads, as a service would find out only when the work runs, or never: a missing tensor
 * may count as zeros there. A `custom` loss says itself what it reads.
 *
 * @param alignedInputs - tensors that must have one element for each target, where they are given
 * @throws ValidationError naming datum and key
 */
export function checkLossInputs(
  lossFn: LossFnType,
  { model_input, loss_fn_inputs: inputs }: Datum,
  datumIndex: number,
  alignedInputs: readonly string[] = ALIGNED_INPUTS,
): void {
  for (const key of REQUIRED_INPUTS[lossFn]) {
    if (inputs[key] === undefined) refuseInput(datumIndex, key, `is missing: ${lossFn} reads it`);
  }
  const { target_tokens: targets } = inputs;
  if (targets === undefined) return;
  const rows = targets.shape?.[0] ?? targets.data.length;
  let length = 0;
  for (const chunk of model_input.chunks) {
    const count = "expected_tokens" in chunk ? chunk.expected_tokens : undefined;
    length += "tokens" in chunk ? chunk.tokens.length : (count ?? Number.NaN);
  }
  // Images that declare no tokens, and sound, only the service can count.
  if (rows !== length && !Number.isNaN(length)) {
    const shape = `[${(targets.shape ?? [rows]).join(", ")}]`;
    const wanted = `${length}, the positions of model_input, as its first size`;
    refuseInput(datumIndex, "target_tokens", `must have ${wanted}, got shape ${shape}`);
  }
  const isDense = !isSparse(targets);
  const at = isDense && !areCounts(targets.data) ? negativeAt(targets.data) : -1;
  if (at >= 0) {
    const message = `must hold token ids of 0 or more, got ${targets.data[at]} at index ${at}`;
    refuseInput(datumIndex, "target_tokens", message);
  }
  for (const key of alignedInputs) {
    const tensor = inputs[key];
    if (tensor === undefined) continue;
    const { shape } = tensor;
    // Flat ones of a matrix of targets are sent by custom losses.
    if (shape !== undefined && shape.length > 1 && shape[0] !== rows) {
      const sizes = `(${rows}), got shape [${shape.join(", ")}]`;
      refuseInput(datumIndex, key, `must have the first size of target_tokens ${sizes}`);
    }
    if (!isDense || isSparse(tensor) || tensor.data.length === targets.data.length) continue;
    const counts = `(${targets.data.length}), got ${tensor.data.length}`;
    refuseInput(datumIndex, key, `must have as many elements as target_tokens ${counts}`);
  }
}

function refuseInput(datumIndex: number, key: string, message: string): never {
  const path = ["data", datumIndex, "loss_fn_inputs", key];
  throw new ValidationError(`data[${datumIndex}].loss_fn_inputs.${key} ${message}`, { path });
}

/** Finds the first element below 0. */
function negativeAt(data: TensorData["data"]): number {
  if (!(data instanceof BigInt64Array)) return data.findIndex((value) => value < 0);
  // Of int64 only the high halves are looked at, since each whole one would make a bigint.
  const words = new Int32Array(data.buffer, data.byteOffset, 2 * data.length);
  for (let index = 1; index < words.length; index += 2) if ((words[index] ?? 0) < 0) return (index - 1) / 2;
  return -1;
}

/**
 * Tells of 32-bit integers, as targets nearly always are, whether none is below 0: their bits joined would then be below it as well. A
 * third of the time of looking for the place, and for this one kind of array the engine compiles the loop.
 */
function areCounts(data: TensorData["data"]): boolean {
  if (!(data instanceof Int32Array)) return false;
  let joined = 0;
  let index = 0;
  for (; index + 3 < data.length; index += 4) {
    joined |= data[index] ?? 0;
    joined |= data[index + 1] ?? 0;
    joined |= data[index + 2] ?? 0;
    joined |= data[index + 3] ?? 0;
  }
  for (; index < data.length; index += 1) joined |= data[index] ?? 0;
  return joined >= 0;
}

/**
 * Checks the examples of one call and casts their tensors, once: nothing checks the tensors' layout again on the way out.
 *
 * @throws ValidationError naming datum, key and index
 */
export function prepareData(
  method: string,
  data: readonly DatumLike[],
  memory = new TensorMemory(),
): Datum[] {
  if (!Array.isArray(data)) {
    throw new ValidationError(`${method}: data must be an array of datums, got ${describeKind(data)}`, {
      path: ["data"],
    });
  }
  if (data.length === 0) {
    throw new ValidationError(`${method}: no data provided; give at least one datum`, { path: ["data"] });
  }
  const prepared: Datum[] = [];
  for (const datum of data) prepared.push(prepareDatum(datum, prepared.length, memory));
  return prepared;
}

/** Checks the options of a loss, and copies them: they are written later than the call. */
function checkedLossConfig(config: LossFnConfig): LossFnConfig {
  checkObject(config, "loss_fn_config", "{ clip_low_threshold: 0.8 }");
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string" || Number.isFinite(value)) continue;
    const fault =
      typeof value === "number"
        ? `must be finite, got ${value}`
        : `must be a number or a string, got ${describeKind(value)}`;
    throw new ValidationError(`loss_fn_config.${key} ${fault}`, {
      path: ["loss_fn_config", key],
    });
  }
  return { ...config };
}

/** Way of a chat to a datum, for the message about one that is given as it is. */
const CHAT_PLACES = { messages: "in datumFromMessages(renderer, messages), which gives a datum" } as const;

function prepareDatum(datum: DatumLike, datumIndex: number, memory: TensorMemory): Datum {
  const place = `data[${datumIndex}]`;
  if (typeof datum !== "object" || datum === null) {
    throw new ValidationError(
      `${place} must be an object with model_input and loss_fn_inputs, got ${describeKind(datum)}`,
      { path: ["data", datumIndex] },
    );
  }
  checkKnownNames(datum, DATUM_FIELDS, place, CHAT_PLACES);
  const inputs: Record<string, TensorData> = {};
  for (const key of Object.keys(datum.loss_fn_inputs ?? {})) {
    const tensor = datum.loss_fn_inputs[key] as TensorLike;
    defineOwn(inputs, key, TensorData.from(tensor, { key, datumIndex, memory }));
  }
  const prepared: Datum = {
    ...datum,
    model_input: toModelInput(datum.model_input, `${place}.model_input`),
    loss_fn_inputs: inputs,
  };
  if (datum.model_input_spans !== undefined || datum.loss_fn_input_spans !== undefined) {
    checkSpans(prepared, datumIndex);
  }
  return prepared;
}

/** Checks the origins of positions, which few datums state. */
function checkSpans(datum: Datum, datumIndex: number): void {
  const place = `data[${datumIndex}]`;
  for (const list of ["model_input_spans", "loss_fn_input_spans"] as const) {
    for (const [position, span] of (datum[list] ?? []).entries()) {
      checkSent(provenanceSpanSchema, span, `${place}.${list}[${position}]`);
    }
  }
  const fault = spanFault(datum);
  if (fault === undefined) return;
  throw new ValidationError(`${place}: ${fault.message}`, { path: ["data", datumIndex, fault.field] });
}
