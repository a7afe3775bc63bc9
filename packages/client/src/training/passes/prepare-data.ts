import { checkKnownNames, ValidationError } from "@tinkex/base";
import { TensorData, type TensorLike, TensorMemory } from "@tinkex/tensor";
import {
  checkSent,
  type Datum,
  type LossFnConfig,
  type LossFnType,
  lossFnTypeSchema,
  ModelInput,
  modelInputSchema,
  spanFault,
  type TokenIds,
} from "@tinkex/types";
import { checkObject } from "../../service/check-object.js";

/** A training example as it is given: like a {@link Datum}, with tokens for the input and anything numeric for tensors. */
export interface DatumLike extends Omit<Datum, "model_input" | "loss_fn_inputs"> {
  readonly model_input: ModelInput | TokenIds;
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

/** @throws ValidationError for options of a loss that are no numbers or texts by name */
export function checkLossConfig(config: LossFnConfig | undefined): void {
  if (config === undefined) return;
  checkObject(config, "loss_fn_config", "{ clip_low_threshold: 0.8 }");
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string" || typeof value === "number") continue;
    throw new ValidationError(`loss_fn_config.${key} must be a number or a text, got ${String(value)}`, {
      path: ["loss_fn_config", key],
    });
  }
}

/** A prompt or training input as a record; plain tokens become one text chunk. */
export function toModelInput(input: ModelInput | TokenIds, what: string): ModelInput {
  if (typeof input === "string") {
    throw new ValidationError(
      `${what} is a text: encode it first, e.g. (await client.getTokenizer()).encode(text)`,
      {
        path: [what],
      },
    );
  }
  const record =
    typeof input === "object" && input !== null && "chunks" in input ? input : ModelInput.fromInts(input);
  return checkSent(modelInputSchema, record, what);
}

const DATUM_FIELDS: Readonly<Record<keyof DatumLike, true>> = {
  model_input: true,
  loss_fn_inputs: true,
  model_input_spans: true,
  loss_fn_input_spans: true,
};

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
  const fault = spanFault(prepared);
  if (fault !== undefined) {
    throw new ValidationError(`${place}: ${fault.message}`, { path: ["data", datumIndex, fault.field] });
  }
  return prepared;
}
