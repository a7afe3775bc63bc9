import { checkArray, checkNumberList, checkObject, isSparse, ValidationError } from "@tinkex/base";
import { type Datum, ModelInput } from "@tinkex/types";

/**
 * Checks that a datum is one for `cross_entropy`, so that a wrong one is found among all of them before the first step, and not by its place
 * in a batch in the middle of a run.
 *
 * @throws ValidationError naming the field
 */
export function checkDatum(datum: Datum, place: string): void {
  checkObject(datum.model_input, `${place}.model_input`, "ModelInput.fromInts([1, 2])");
  checkArray(datum.model_input.chunks, `${place}.model_input.chunks`);
  const positions = ModelInput.length(datum.model_input);
  if (positions === 0)
    throw new ValidationError(`${place}.model_input must have at least one token, got none`);
  const inputs: unknown = datum.loss_fn_inputs;
  checkObject(inputs, `${place}.loss_fn_inputs`, "{ target_tokens, weights }");
  const { target_tokens: targets, weights } = datum.loss_fn_inputs;
  if (targets === undefined) throw new ValidationError(`${place}.loss_fn_inputs.target_tokens is missing`);
  const count = elementCount(targets, `${place}.loss_fn_inputs.target_tokens`);
  if (count === 0 || count % positions !== 0) {
    throw new ValidationError(
      `${place}.loss_fn_inputs.target_tokens must have a target for each of the ${positions} positions, got ${count}`,
    );
  }
  if (weights === undefined) return;
  const weighed = elementCount(weights, `${place}.loss_fn_inputs.weights`);
  if (weighed === count) return;
  throw new ValidationError(
    `${place}.loss_fn_inputs.weights must have as many elements as target_tokens, ${count}, got ${weighed}`,
  );
}

/** Number of elements of a tensor as it is sent. */
function elementCount(tensor: Datum["loss_fn_inputs"][string], place: string): number {
  checkObject(tensor, place, 'TensorData.from([1, 2], { dtype: "int64" })');
  checkNumberList(tensor.data, `${place}.data`);
  if (!isSparse(tensor)) return tensor.data.length;
  throw new ValidationError(`${place} must be a dense tensor, got a sparse one`);
}
