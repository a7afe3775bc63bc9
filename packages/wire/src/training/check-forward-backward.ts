import {
  checkSent,
  type Datum,
  type ForwardBackwardInput,
  type ForwardBackwardRequest,
  lossFnTypeSchema,
  provenanceSpanSchema,
  spanFault,
  type TensorData,
  tensorLayoutFault,
  ValidationError,
} from "@tinkex/types";

const LARGEST_SEQ_ID = 2 ** 31 - 1;

/**
 * Checks everything in a training request but its numbers, which the encoder checks as it writes them: on a path that
 * carries megabytes, one walk over the elements is enough.
 *
 * @throws ValidationError that names the datum and the key
 */
export function checkForwardBackward(request: ForwardBackwardRequest): void {
  if (request.model_id === "") throw invalid("model_id must not be empty", ["model_id"]);
  const { seq_id: seqId } = request;
  if (!Number.isInteger(seqId) || seqId < 1 || seqId > LARGEST_SEQ_ID) {
    throw invalid(`seq_id must be an integer from 1 to ${LARGEST_SEQ_ID}, not ${String(seqId)}`, ["seq_id"]);
  }
  checkLoss(request.forward_backward_input);
  const { data } = request.forward_backward_input;
  for (let index = 0; index < data.length; index++) checkDatum(data[index], index);
}

function checkLoss({ loss_fn: lossFn, loss_fn_config: config }: ForwardBackwardInput): void {
  checkSent(lossFnTypeSchema, lossFn, "loss_fn");
  for (const [key, value] of Object.entries(config ?? {})) {
    if (typeof value === "number" || typeof value === "string") continue;
    throw invalid(`loss_fn_config.${key} must be a number or a text, not ${describeValue(value)}`, [
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
  if (typeof datum.loss_fn_inputs !== "object" || datum.loss_fn_inputs === null) {
    throw invalid(`data[${index}].loss_fn_inputs must be tensors by name`, ["data", index, "loss_fn_inputs"]);
  }
  for (const key of Object.keys(datum.loss_fn_inputs)) {
    const fault = layoutFault(datum.loss_fn_inputs[key]);
    if (fault === undefined) continue;
    const place = ["data", index, "loss_fn_inputs", key];
    throw invalid(`data[${index}].loss_fn_inputs.${key}${fault}`, place);
  }
  if (datum.model_input_spans !== undefined || datum.loss_fn_input_spans !== undefined) {
    checkSpans(datum, index);
  }
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

/** What is wrong with a tensor apart from its elements. */
function layoutFault(tensor: TensorData | undefined): string | undefined {
  if (typeof tensor !== "object" || tensor === null || tensor.data === undefined) {
    return ' must be a tensor, e.g. { data: [1, 2], dtype: "int64" }; TensorData.from converts lists';
  }
  const fault = tensorLayoutFault(tensor);
  return fault === undefined ? undefined : `.${fault.field}: ${fault.message}`;
}

/** The error for an argument of a training call. */
export function invalid(message: string, path: readonly (string | number)[]): ValidationError {
  return new ValidationError(`forward_backward: ${message}`, { path });
}

function describeValue(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
