import type { TensorDtype, TensorData as TensorRecord } from "@tinkex/base";
import { describeValue } from "./describe-value.js";
import { flattenList } from "./flatten-list.js";
import type {
  BigIntTypedArray,
  NestedList,
  NumberTypedArray,
  TensorElement,
  TensorLike,
} from "./tensor-like.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";
import { isTfTensorLike, type TfTensorLike } from "./tf-tensor-like.js";

/** A value taken apart: elements in row-major order, and what is known of shape and dtype. */
export interface Elements {
  readonly values: ArrayLike<unknown>;
  readonly shape: readonly number[] | undefined;
  /** What the container itself says: a typed array or a record knows, a list does not. */
  readonly dtype: TensorDtype | undefined;
  /** The indices of a sparse tensor. */
  readonly sparse?: SparseFields;
}

type SparseFields = Pick<TensorRecord, "sparse_crow_indices" | "sparse_col_indices">;

/** @throws ValidationError for what holds no numbers, ragged lists, and a tf.Tensor that cannot be read at once */
export function takeApart(value: TensorLike, place: TensorPlace): Elements {
  if (isArrayOfSomeKind(value) || !isTfTensorLike(value)) return takeArrayApart(value, place);
  const dtype = tfTensorDtype(value, place);
  try {
    return { values: value.dataSync(), shape: value.shape, dtype };
  } catch (error) {
    throw unreadable(error, place, "; where the backend answers only later, use TensorData.fromAsync");
  }
}

/** The same, waiting for a tf.Tensor of a backend that answers later. */
export async function takeApartLater(value: TensorLike, place: TensorPlace): Promise<Elements> {
  if (isArrayOfSomeKind(value) || !isTfTensorLike(value)) return takeArrayApart(value, place);
  const dtype = tfTensorDtype(value, place);
  try {
    return { values: await value.data(), shape: value.shape, dtype };
  } catch (error) {
    throw unreadable(error, place, "");
  }
}

/** Asked first: looking for the properties of other objects in an array takes long. */
function isArrayOfSomeKind(value: TensorLike): value is NestedList | NumberTypedArray | BigIntTypedArray {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function isTensorRecord(value: unknown): value is TensorRecord {
  return typeof value === "object" && value !== null && "data" in value && "dtype" in value;
}

function takeArrayApart(value: Exclude<TensorLike, TfTensorLike>, place: TensorPlace): Elements {
  if (Array.isArray(value)) {
    const { values, shape } = flattenList(value as NestedList, place);
    return { values, shape, dtype: undefined };
  }
  if (ArrayBuffer.isView(value)) {
    const dtype = typedArrayDtype(value, place);
    // A view that is no DataView (which typedArrayDtype refuses) is array-like.
    const values = value as unknown as ArrayLike<unknown>;
    return { values, shape: [values.length], dtype };
  }
  if (isTensorRecord(value)) {
    return takeRecordApart(value, place);
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return takeScalarApart(value, place);
  }
  throw tensorError(place, `expected numbers, got ${describeValue(value)}`);
}

/** A record that came out of JSON may have null for what it does not state, whatever its type says. */
function takeRecordApart(record: TensorRecord, place: TensorPlace): Elements {
  const data: unknown = record.data;
  if (!Array.isArray(data) && (!ArrayBuffer.isView(data) || data instanceof DataView)) {
    const problem = `data must be a flat list of numbers or a typed array, got ${describeValue(data)}`;
    throw tensorError(place, problem);
  }
  const { shape, dtype } = record;
  return { values: record.data, shape: shape ?? undefined, dtype, sparse: sparseFieldsOf(record) };
}

function takeScalarApart(value: TensorElement, place: TensorPlace): Elements {
  if (place.key !== undefined) throw tensorError(place, `expected a list of numbers, got ${value}`);
  return { values: [value], shape: [], dtype: undefined };
}

function tfTensorDtype(tensor: TfTensorLike, place: TensorPlace): TensorDtype {
  if (tensor.dtype === "float32") return "float32";
  if (tensor.dtype === "int32" || tensor.dtype === "bool") return "int64";
  throw tensorError(place, `a tf.Tensor of dtype ${tensor.dtype} has no counterpart; cast it first`);
}

function unreadable(error: unknown, place: TensorPlace, remedy: string): Error {
  const problem = error instanceof Error ? error.message : String(error);
  return tensorError(place, `the tf.Tensor cannot be read (${problem})${remedy}`);
}

function typedArrayDtype(value: ArrayBufferView, place: TensorPlace): TensorDtype {
  if (value instanceof DataView) throw tensorError(place, "a DataView holds bytes, not numbers");
  if (value instanceof Float32Array || value instanceof Float64Array) return "float32";
  // Not every engine has this class, so it is asked for by name.
  return Object.prototype.toString.call(value) === "[object Float16Array]" ? "float32" : "int64";
}

function sparseFieldsOf(record: TensorRecord): SparseFields {
  const crow = record.sparse_crow_indices ?? undefined;
  const columns = record.sparse_col_indices ?? undefined;
  return {
    ...(crow === undefined ? {} : { sparse_crow_indices: crow }),
    ...(columns === undefined ? {} : { sparse_col_indices: columns }),
  };
}
