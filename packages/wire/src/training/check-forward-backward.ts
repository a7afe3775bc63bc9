import {
  checkKnownNames,
  describeValue,
  type TensorFault,
  tensorLayoutFault,
  ValidationError,
} from "@tinkex/base";
import {
  checkSent,
  DATUM_FIELDS,
  type Datum,
  type ForwardBackwardInput,
  type ForwardBackwardRequest,
  lossFnTypeSchema,
  provenanceSpanSchema,
  spanFault,
  type TensorData,
} from "@tinkex/types";
import { checkChunk, countNames, countSet } from "./check-chunk.js";

const MAX_SEQ_ID = 2 ** 31 - 1;

/** The names that a record may have: an encoder that looks for names it knows would drop a misspelt one without a word. */
type NamesOf<Value> = Readonly<Record<keyof Value, true>>;

const REQUEST_NAMES: NamesOf<ForwardBackwardRequest> = {
  forward_backward_input: true,
  model_id: true,
  seq_id: true,
  forward_only: true,
};
const INPUT_NAMES: NamesOf<ForwardBackwardInput> = { data: true, loss_fn: true, loss_fn_config: true };
const TENSOR_NAMES: NamesOf<TensorData> = {
  data: true,
  dtype: true,
  shape: true,
  sparse_crow_indices: true,
  sparse_col_indices: true,
};

/**
 * Checks everything in a training request but its numbers, which the encoder checks as it writes them: on a path that
 * carries megabytes, one walk over the elements is enough.
 *
 * @throws ValidationError that names the datum and the key
 */
export function checkForwardBackward(request: ForwardBackwardRequest): void {
  checkKnownNames(request, REQUEST_NAMES, "forward_backward");
  checkKnownNames(request.forward_backward_input, INPUT_NAMES, "forward_backward_input");
  if (typeof request.model_id !== "string" || request.model_id === "") {
    throw invalid(`model_id must be the id of a model, got ${describeValue(request.model_id)}`, ["model_id"]);
  }
  const { seq_id: seqId } = request;
  if (!Number.isInteger(seqId) || seqId < 1 || seqId > MAX_SEQ_ID) {
    throw invalid(`seq_id must be an integer from 1 to ${MAX_SEQ_ID}, got ${describeValue(seqId)}`, [
      "seq_id",
    ]);
  }
  checkLoss(request.forward_backward_input);
  const { data } = request.forward_backward_input;
  if (!Array.isArray(data)) throw invalid("data must be a list of datums", ["data"]);
  for (let index = 0; index < data.length; index += 1) checkDatum(data[index], index);
}

function checkLoss({ loss_fn: lossFn, loss_fn_config: config = {} }: ForwardBackwardInput): void {
  checkSent(lossFnTypeSchema, lossFn, "loss_fn");
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw invalid(`loss_fn_config must be numbers and strings by name, got ${describeValue(config)}`, [
      "loss_fn_config",
    ]);
  }
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "number" || typeof value === "string") continue;
    throw invalid(`loss_fn_config.${key} must be a number or a string, got ${describeValue(value)}`, [
      "loss_fn_config",
      key,
    ]);
  }
}

function checkDatum(datum: Datum | undefined, index: number): void {
  if (!Array.isArray(datum?.model_input?.chunks)) {
    throw invalid(`data[${index}].model_input must be a ModelInput, e.g. ModelInput.fromInts([1, 2])`, [
      "data",
      index,
      "model_input",
    ]);
  }
  const spanLists = countSet(datum.model_input_spans) + countSet(datum.loss_fn_input_spans);
  if (countNames(datum) !== 2 + spanLists) checkKnownNames(datum, DATUM_FIELDS, `data[${index}]`);
  const { chunks } = datum.model_input;
  for (let position = 0; position < chunks.length; position += 1)
    checkChunk(chunks[position], index, position);
  const { loss_fn_inputs: tensors } = datum;
  if (typeof tensors !== "object" || tensors === null) {
    throw invalid(`data[${index}].loss_fn_inputs must be tensors by name`, ["data", index, "loss_fn_inputs"]);
  }
  for (const key in tensors) checkTensor(tensors[key], key, index);
  if (spanLists > 0) checkSpans(datum, index);
}

function checkTensor(tensor: TensorData | undefined, key: string, index: number): void {
  const fault = layoutFault(tensor);
  if (fault !== undefined) {
    const place = ["data", index, "loss_fn_inputs", key];
    throw invalid(`data[${index}].loss_fn_inputs.${key}${fault}`, place);
  }
  if (tensor === undefined) return;
  const { shape, sparse_crow_indices: crow, sparse_col_indices: columns } = tensor;
  if (countNames(tensor) !== 2 + countSet(shape) + countSet(crow) + countSet(columns))
    checkKnownNames(tensor, TENSOR_NAMES, `data[${index}].loss_fn_inputs.${key}`);
}

/** Makes the error for an element of a tensor. */
export function elementError(datum: number, key: string, { field, index, message }: TensorFault) {
  const place = index === undefined ? field : `${field}[${index}]`;
  const path = ["data", datum, "loss_fn_inputs", key, field, ...(index === undefined ? [] : [index])];
  return invalid(`data[${datum}].loss_fn_inputs.${key}.${place} ${message}`, path);
}

function checkSpans(datum: Datum, index: number): void {
  for (const list of ["model_input_spans", "loss_fn_input_spans"] as const) {
    for (const [position, span] of (datum[list] ?? []).entries()) {
      checkSent(provenanceSpanSchema, span, `data[${index}].${list}[${position}]`);
    }
  }
  const fault = spanFault(datum);
  if (fault !== undefined) throw invalid(`data[${index}]: ${fault.message}`, ["data", index, fault.field]);
}

/** Finds the fault of a tensor apart from its elements. */
function layoutFault(tensor: TensorData | undefined): string | undefined {
  if (typeof tensor !== "object" || tensor === null || tensor.data === undefined) {
    return ' must be a tensor, e.g. { data: [1, 2], dtype: "int64" }; TensorData.from converts lists';
  }
  const fault = tensorLayoutFault(tensor);
  return fault === undefined ? undefined : `.${fault.field}: ${fault.message}`;
}

/** Makes the error for an argument of a training call. */
export function invalid(message: string, path: readonly (string | number)[]): ValidationError {
  return new ValidationError(`forward_backward: ${message}`, { path });
}
