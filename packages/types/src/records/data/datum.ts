import { checkArray, checkObject, ValidationError } from "@tinkex/base";
import * as z from "zod";
import type { TokenSource } from "./chunks.js";
import { ModelInput, modelInputSchema } from "./model-input.js";
import { type ProvenanceSpan, provenanceSpanSchema } from "./provenance-span.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { sentObject } from "../../schema/objects.js";
import { zodOf } from "../../schema/zod-of.js";
import { type TensorData, tensorDataSchema } from "./tensor-data.js";

/** Tensors by name: what a loss reads, or what it gives per datum. */
export type NamedTensors = Readonly<Record<string, TensorData>>;

/** One training example. */
export interface Datum {
  readonly model_input: ModelInput;
  /** E.g. `target_tokens` (int64 `[N]` or `[N, K]`) and `weights` (float32, same shape) for cross entropy. */
  readonly loss_fn_inputs: NamedTensors;
  /** Origin of each run of input positions; covers the whole input. Both lists or none. Since 0.38. */
  readonly model_input_spans?: readonly ProvenanceSpan[] | undefined;
  /** The same for the positions of `target_tokens`. */
  readonly loss_fn_input_spans?: readonly ProvenanceSpan[] | undefined;
}

/** The names that a datum may have: an encoder that looks for names it knows would drop a misspelt one without a word. */
export const DATUM_FIELDS: Readonly<Record<keyof Datum, true>> = {
  model_input: true,
  loss_fn_inputs: true,
  model_input_spans: true,
  loss_fn_input_spans: true,
};

/** Makes {@link Datum} records. */
export const Datum = {
  /**
   * Makes a datum from tokens (or a whole model input) and tensors.
   *
   * @example Datum.of([1, 2, 3], { target_tokens: { data: [2, 3, 4], dtype: "int64" } })
   */
  of(modelInput: ModelInput | TokenSource, lossFnInputs: NamedTensors, spans?: DatumSpans): Datum {
    if (!ArrayBuffer.isView(modelInput) && !Array.isArray(modelInput)) {
      checkObject(modelInput, "Datum.of: modelInput", "[1, 2, 3] or ModelInput.fromInts([1, 2, 3])");
    }
    checkObject(lossFnInputs, "Datum.of: lossFnInputs", '{ target_tokens: { data: [2], dtype: "int64" } }');
    const input = "chunks" in modelInput ? modelInput : ModelInput.fromInts(modelInput);
    const datum: Datum = { model_input: input, loss_fn_inputs: lossFnInputs, ...spans };
    const fault = spanFault(datum);
    if (fault !== undefined) throw new ValidationError(fault.message, { path: [fault.field] });
    return datum;
  },
} as const;

/** Both span lists of a datum. */
export type DatumSpans = Required<Pick<Datum, "model_input_spans" | "loss_fn_input_spans">>;

type SpanFault = { readonly field: "model_input_spans" | "loss_fn_input_spans"; readonly message: string };

/** Spans come in pairs of lists and cover their positions exactly; loss spans only where the targets are a 1-D list. */
export function spanFault(datum: Datum): SpanFault | undefined {
  if (typeof datum !== "object" || datum === null) checkObject(datum, "spanFault: datum");
  const { model_input_spans: inputSpans, loss_fn_input_spans: lossSpans } = datum;
  if (inputSpans === undefined && lossSpans === undefined) return undefined;
  if (inputSpans === undefined || lossSpans === undefined) {
    const field = inputSpans === undefined ? "model_input_spans" : "loss_fn_input_spans";
    return { field, message: `${field} is missing: a datum has both span lists or none` };
  }
  for (const [field, spans] of Object.entries({ model_input_spans: inputSpans, loss_fn_input_spans: lossSpans })) {
    checkArray(spans, field);
    for (const [index, span] of spans.entries()) checkObject(span, `${field}[${index}]`);
  }
  const inputLength = ModelInput.length(datum.model_input);
  const covered = spanLength(inputSpans);
  if (covered !== inputLength) {
    return {
      field: "model_input_spans",
      message: `model_input_spans cover ${covered} positions, the model input has ${inputLength}`,
    };
  }
  const targets = datum.loss_fn_inputs.target_tokens;
  if (targets === undefined || (targets.shape !== undefined && targets.shape.length !== 1)) return undefined;
  const lossCovered = spanLength(lossSpans);
  if (lossCovered === targets.data.length) return undefined;
  return {
    field: "loss_fn_input_spans",
    message: `loss_fn_input_spans cover ${lossCovered} positions, target_tokens has ${targets.data.length}`,
  };
}

function spanLength(spans: readonly ProvenanceSpan[]): number {
  return spans.reduce((sum, span) => sum + span.length, 0);
}

export const namedTensorsSchema: RecordSchema<NamedTensors> = z.record(z.string(), zodOf(tensorDataSchema));

export const datumSchema: RecordSchema<Datum> = sentObject(() => ({
  model_input: zodOf(modelInputSchema),
  loss_fn_inputs: zodOf(namedTensorsSchema),
  model_input_spans: z.array(zodOf(provenanceSpanSchema)).optional(),
  loss_fn_input_spans: z.array(zodOf(provenanceSpanSchema)).optional(),
})).check((context) => {
  const fault = spanFault(context.value as Datum);
  if (fault === undefined) return;
  context.issues.push({ code: "custom", message: fault.message, path: [fault.field], input: context.value });
});
