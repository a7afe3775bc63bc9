import { checkKnownNames, ValidationError } from "@tinkex/base";
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
  type TokenIds,
} from "@tinkex/types";
import { checkObject } from "../../inputs/call-options.js";
import { toModelInput } from "../../inputs/model-input.js";

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
  readonly model_input: ModelInput | TokenIds;
  /**
   * Tensors of the loss by name, aligned to `model_input`: `target_tokens` (int64, `[N]`; `target_tokens[i]` is the token that
   * follows `model_input[i]`), and float32 ones of the same shape, such as `weights`, `logprobs` and `advantages`.
   */
  readonly loss_fn_inputs: Readonly<Record<string, TensorLike>>;
}

/**
 * Checks the examples of one call and casts their tensors, once.
 *
 * @throws ValidationError naming datum, key and index
 */
export function prepareData(data: readonly DatumLike[]): Datum[] {
  if (!Array.isArray(data)) throw new ValidationError("data must be a list of datums", { path: ["data"] });
  if (data.length === 0) throw new ValidationError("no data provided", { path: ["data"] });
  const memory = new TensorMemory();
  return data.map((datum, index) => prepareDatum(datum, index, memory));
}

/** @throws ValidationError for a loss that does not exist, listing those that do */
export function checkLossName(lossFn: LossFnType): void {
  checkSent(lossFnTypeSchema, lossFn, "loss_fn");
}

/**
 * Checks the options of a loss, and copies them: they are written later than the call.
 *
 * @throws ValidationError for options that are no numbers or strings by name
 */
export function checkedLossConfig(config: LossFnConfig | undefined): LossFnConfig | undefined {
  if (config === undefined) return undefined;
  checkObject(config, "loss_fn_config", "{ clip_low_threshold: 0.8 }");
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string" || typeof value === "number") continue;
    throw new ValidationError(`loss_fn_config.${key} must be a number or a string, got ${String(value)}`, {
      path: ["loss_fn_config", key],
    });
  }
  return { ...config };
}

function prepareDatum(datum: DatumLike, datumIndex: number, memory: TensorMemory): Datum {
  const place = `data[${datumIndex}]`;
  if (typeof datum !== "object" || datum === null) {
    throw new ValidationError(`${place} must be an object with model_input and loss_fn_inputs`, {
      path: ["data", datumIndex],
    });
  }
  checkKnownNames(datum, DATUM_FIELDS, place);
  const inputs = Object.entries(datum.loss_fn_inputs ?? {}).map(
    ([key, value]) => [key, TensorData.from(value, { key, datumIndex, memory })] as const,
  );
  const prepared: Datum = {
    ...datum,
    model_input: toModelInput(datum.model_input, `${place}.model_input`),
    loss_fn_inputs: Object.fromEntries(inputs),
  };
  for (const list of ["model_input_spans", "loss_fn_input_spans"] as const) {
    for (const [position, span] of (datum[list] ?? []).entries()) {
      checkSent(provenanceSpanSchema, span, `${place}.${list}[${position}]`);
    }
  }
  const fault = spanFault(prepared);
  if (fault !== undefined) {
    throw new ValidationError(`${place}: ${fault.message}`, { path: ["data", datumIndex, fault.field] });
  }
  return prepared;
}
