import {
  DETACHED,
  describeValue,
  isDetached,
  isTfTensorLike,
  type TensorDtype,
  type TensorData as TensorRecord,
  type TfTensorLike,
} from "@tinkex/base";
import { ownTypedArray, typedArrayName } from "./own-typed-array.js";
import type { NestedList, TensorLike } from "./tensor-like.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";
import { tfTensorDtype, tfTensorFault } from "./tf-tensor-dtype.js";

/** The elements of a value in row-major order, and what is known of shape and dtype. */
export interface Elements {
  readonly values: ArrayLike<unknown>;
  readonly shape: readonly number[] | undefined;
  /** Somebody stated the shape, which may be wrong then; otherwise it was counted on the value. */
  readonly isShapeStated: boolean;
  /** The dtype of the container: a typed array or a record has one, a plain array has none. */
  readonly dtype: TensorDtype | undefined;
  /** The indices of a sparse tensor. */
  readonly sparse?: SparseFields;
}

type SparseFields = Pick<TensorRecord, "sparse_crow_indices" | "sparse_col_indices">;

/**
 * Reads the elements of whatever holds numbers.
 *
 * @throws ValidationError for what holds no numbers, ragged arrays, and a tf.Tensor that cannot be read at once
 */
export function toElements(value: TensorLike, place: TensorPlace): Elements {
  // Arrays first: looking for the properties of other objects in an array takes long.
  if (Array.isArray(value)) return flattenArray(value as NestedList, place);
  if (ArrayBuffer.isView(value) || !isTfTensorLike(value)) return plainElements(value, place);
  const dtype = tfTensorDtype(value, place);
  try {
    return { values: value.dataSync(), shape: value.shape, dtype, isShapeStated: true };
  } catch (error) {
    throw tfTensorFault(
      value,
      error,
      place,
      "; where the backend answers only later, use TensorData.fromAsync",
    );
  }
}

/** Reads the elements as {@link toElements} does, waiting for a tf.Tensor of a backend that answers later. */
export async function toElementsLater(value: TensorLike, place: TensorPlace): Promise<Elements> {
  if (Array.isArray(value) || ArrayBuffer.isView(value) || !isTfTensorLike(value))
    return toElements(value, place);
  const dtype = tfTensorDtype(value, place);
  try {
    return { values: await value.data(), shape: value.shape, dtype, isShapeStated: true };
  } catch (error) {
    throw tfTensorFault(value, error, place, "");
  }
}

function plainElements(value: Exclude<TensorLike, TfTensorLike>, place: TensorPlace): Elements {
  if (ArrayBuffer.isView(value)) {
    const values = attachedArray(value, place);
    return { values, shape: [values.length], dtype: typedArrayDtype(values), isShapeStated: false };
  }
  if (typeof value === "object" && value !== null && "data" in value && "dtype" in value)
    return recordElements(value, place);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    if (place.key !== undefined) throw tensorError(place, `expected a list of numbers, got ${value}`);
    return { values: [value], shape: [], dtype: undefined, isShapeStated: false };
  }
  throw tensorError(place, `expected numbers, got ${describeValue(value)}`);
}

/** Reads a record. One that came out of JSON may have null for what it does not state, whatever its type says. */
function recordElements(record: TensorRecord, place: TensorPlace): Elements {
  const data: unknown = record.data;
  if (!Array.isArray(data) && (!ArrayBuffer.isView(data) || typedArrayName(data) === undefined)) {
    const problem = `data must be a flat list of numbers or a typed array, got ${describeValue(data)}`;
    throw tensorError(place, problem);
  }
  const values = Array.isArray(data) ? data : attachedArray(data, place, "data ");
  const { shape, dtype } = record;
  const sparse = sparseFieldsOf(record);
  return { values, shape: shape ?? undefined, dtype, sparse, isShapeStated: true };
}

/** Gives a typed array as one of this realm. @param field - its name in messages, with a space behind it */
function attachedArray(
  view: ArrayBufferView,
  place: TensorPlace,
  field = "",
): ArrayBufferView & ArrayLike<unknown> {
  const name = typedArrayName(view);
  if (name === undefined) throw tensorError(place, "a DataView holds bytes, not numbers");
  if (view.byteLength === 0 && isDetached(view)) throw tensorError(place, `${field}${DETACHED}`);
  return ownTypedArray(view, name);
}

function typedArrayDtype(array: ArrayBufferView): TensorDtype {
  if (array instanceof Float32Array || array instanceof Float64Array) return "float32";
  // Not every engine has this class, so it is asked for by name.
  return typedArrayName(array) === "Float16Array" ? "float32" : "int64";
}

function sparseFieldsOf(record: TensorRecord): SparseFields {
  const crow = record.sparse_crow_indices ?? undefined;
  const columns = record.sparse_col_indices ?? undefined;
  return {
    ...(crow === undefined ? {} : { sparse_crow_indices: crow }),
    ...(columns === undefined ? {} : { sparse_col_indices: columns }),
  };
}

/**
 * Flattens nested arrays, one level after the other. A flat array is returned as it is, without a copy.
 *
 * @throws ValidationError when arrays of one level differ in length, or arrays and elements are mixed
 */
function flattenArray(list: NestedList, place: TensorPlace): Elements {
  // Nearly every list is flat. Not `list[0]`, as below.
  if (!Array.isArray(list.at(0)))
    return { values: list, shape: [list.length], dtype: undefined, isShapeStated: false };
  const shape = shapeOf(list, place);
  let level: readonly unknown[] = list;
  for (let depth = 1; depth < shape.length; depth += 1) {
    checkRows(level, shape.slice(depth), place);
    level = concatenate(level);
  }
  refuseLists(level, place);
  // The cast says whether the elements are numbers.
  return { values: level, shape, dtype: undefined, isShapeStated: false };
}

/** Most dimensions of a tensor, as many as NumPy's older releases allow; a list that holds itself has no end. */
const MAX_DIMENSIONS = 32;

function shapeOf(list: NestedList, place: TensorPlace): number[] {
  const shape: number[] = [];
  let level: unknown = list;
  while (Array.isArray(level)) {
    if (shape.length === MAX_DIMENSIONS) {
      throw tensorError(place, `lists are nested more than ${MAX_DIMENSIONS} deep, or one holds itself`);
    }
    shape.push(level.length);
    // Not `level[0]`: where one place reads elements of lists of lists and of lists of numbers, V8 turns the latter into
    // lists of objects, each number one of its own, and whoever reads them afterwards takes several times as long.
    level = level.at(0);
  }
  return shape;
}

/** Checks that all `rows` are arrays as long as the first; `rowShape` is the shape of each. */
function checkRows(rows: readonly unknown[], rowShape: readonly number[], place: TensorPlace): void {
  const [length] = rowShape;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index];
    if (Array.isArray(row) && row.length === length) continue;
    const problem = Array.isArray(row) ? `one has length ${length}, another ${row.length}` : MIXED;
    const elementsBefore = index * rowShape.reduce((product, size) => product * size, 1);
    throw tensorError(place, `nested lists are ragged: ${problem}`, elementsBefore);
  }
}

const MIXED = "lists and numbers are mixed";

function refuseLists(elements: readonly unknown[], place: TensorPlace): void {
  for (let index = 0; index < elements.length; index += 1) {
    if (typeof elements[index] === "object" && Array.isArray(elements[index]))
      throw tensorError(place, `nested lists are ragged: ${MIXED}`, index);
  }
}

/** Rows that are passed as arguments of one call, far fewer than an engine allows. */
const MAX_ROWS_A_CALL = 1024;

/** Joins the elements of all rows. The engine's own `concat` moves whole rows; a loop over elements takes ten times as long. */
function concatenate(rows: readonly unknown[]): unknown[] {
  if (rows.length <= MAX_ROWS_A_CALL) return ([] as unknown[]).concat(...rows);
  const parts: unknown[][] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS_A_CALL) {
    parts.push(concatenate(rows.slice(start, start + MAX_ROWS_A_CALL)));
  }
  return concatenate(parts);
}
