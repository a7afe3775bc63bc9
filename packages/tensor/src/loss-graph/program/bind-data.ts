import { ValidationError } from "@tinkex/base";
import type { CustomLossInput, Datum, TensorData } from "@tinkex/types";
import { toDense } from "../../to-dense.js";
import { toNumbers } from "../../to-numbers.js";
import { describeShape, type ValueType } from "../operations/value-type.js";
import { inferTypes } from "./infer-types.js";
import type { LossProgram } from "./loss-program.js";

/** The part of a datum that a loss reads. */
type DatumInputs = Pick<Datum, "loss_fn_inputs">;

/** One datum whose types fit a program. */
export interface CheckedDatum {
  /** Types of all values of the program. */
  readonly types: readonly ValueType[];
  /** The tensors of the inputs; in the place of `logprobs`, which only the service can tell, those of the targets. */
  readonly tensors: readonly TensorData[];
  /** Begins messages about this datum. */
  readonly place: string;
}

/** One datum as a program takes it. */
export interface BoundDatum extends Pick<CheckedDatum, "types" | "place"> {
  /** Row-major data of the inputs but `logprobs`. */
  readonly inputs: readonly ArrayLike<number>[];
}

/**
 * Checks that every datum has the inputs that a loss reads, and that the loss fits their shapes and dtypes.
 *
 * @param method - the method as its caller spells it
 * @throws ValidationError naming datum, key, node and operation
 */
export function checkData(
  program: LossProgram,
  data: readonly DatumInputs[],
  method: string,
): CheckedDatum[] {
  // Most datums are alike in their types, or a few lengths occur often.
  const known = new Map<string, readonly ValueType[]>();
  return data.map((datum, index) => {
    const place = `${method}: data[${index}]: loss "${program.name}"`;
    const tensors = program.inputs.map((input) => inputTensor(datum, index, input, program.name, method));
    const given = tensors.map((tensor, input): ValueType => {
      // The log-probabilities have the shape of the targets, and are floats.
      return { dtype: input === 0 ? "float32" : tensor.dtype, shape: shapeOf(tensor) };
    });
    const key = given.map(({ dtype, shape }) => `${dtype}${describeShape(shape)}`).join();
    const types = known.get(key) ?? inferTypes(program, given, place);
    known.set(key, types);
    return { types, tensors, place };
  });
}

/**
 * As {@link checkData}, with the numbers of the inputs, for a loss that runs here.
 *
 * @throws ValidationError for an integer beyond 2^53 too
 */
export function bindData(program: LossProgram, data: readonly DatumInputs[], method: string): BoundDatum[] {
  return checkData(program, data, method).map(({ types, tensors, place }, datumIndex) => ({
    types,
    place,
    inputs: tensors.slice(1).map((tensor, input) => {
      return numbersOf(tensor, { key: program.inputs[input + 1]?.name ?? "", datumIndex });
    }),
  }));
}

/** Checks names and ranks alone, for a loss that the service runs and this package cannot. */
export function checkInputs(
  name: string,
  inputs: readonly CustomLossInput[],
  data: readonly DatumInputs[],
  method: string,
): void {
  for (const [index, datum] of data.entries()) {
    for (const input of inputs) inputTensor(datum, index, input, name, method);
  }
}

function inputTensor(
  { loss_fn_inputs: given }: DatumInputs,
  datumIndex: number,
  { name, rank }: CustomLossInput,
  loss: string,
  method: string,
): TensorData {
  const key = name === "logprobs" ? "target_tokens" : name;
  const path = ["data", datumIndex, "loss_fn_inputs", key];
  const tensor = Object.hasOwn(given, key) ? given[key] : undefined;
  if (tensor === undefined) {
    throw new ValidationError(
      `${method}: data[${datumIndex}].loss_fn_inputs.${key} is missing, which the loss "${loss}" reads`,
      { path },
    );
  }
  const shape = shapeOf(tensor);
  if (shape.length === rank) return tensor;
  throw new ValidationError(
    `${method}: data[${datumIndex}].loss_fn_inputs.${key} must have rank ${rank}, which the loss "${loss}" declares for ${name}, got rank ${shape.length} (shape ${describeShape(shape)})`,
    { path },
  );
}

/** A shape that is not stated is one dimension. */
function shapeOf({ shape, data }: TensorData): readonly number[] {
  return shape ?? [data.length];
}

function numbersOf(
  tensor: TensorData,
  place: { readonly key: string; readonly datumIndex: number },
): ArrayLike<number> {
  const dense = toDense(tensor, place);
  return dense.data instanceof BigInt64Array ? toNumbers(dense, place) : dense.data;
}
