import {
  lossInputDtypes,
  type TensorDtype,
  type TensorData as TensorRecord,
  tensorFault,
} from "@tinkex/types/base";
import { castToFloat32 } from "./cast-to-float32.js";
import { castToInt64 } from "./cast-to-int64.js";
import { describeValue } from "./describe-value.js";
import { flattenList } from "./flatten-list.js";
import type { NestedList, TensorElement, TensorLike } from "./tensor-like.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";
import { isTfTensorLike } from "./tf-tensor-like.js";

/** The record a tensor travels as. */
export type TensorData = TensorRecord;

/** How {@link TensorData.from} reads a value. */
export interface TensorFromOptions extends TensorPlace {
  /** @defaultValue that of a typed array, else that of `key`; a plain list without either is an error */
  readonly dtype?: TensorDtype | undefined;
  /** Lengths of the dimensions. @defaultValue what the nesting of the value says */
  readonly shape?: readonly number[] | undefined;
}

/** A value taken apart: elements in row-major order, and what is known of shape and dtype. */
interface Elements {
  readonly values: ArrayLike<unknown>;
  readonly shape: readonly number[] | undefined;
  /** What the container itself says: a typed array or a record knows, a list does not. */
  readonly dtype: TensorDtype | undefined;
}

/** Makes tensors from whatever holds numbers. */
export const TensorData = {
  /**
   * Casts `value` to one of the two dtypes of the API, once.
   *
   * Floating typed arrays become `float32` (rounded), integer ones `int64`; a plain list takes the dtype of its `key`, and
   * `target_tokens` is `int64` whatever holds it. Typed arrays that fit are used as they are, without a copy: do not change
   * them until the call they go into was submitted.
   *
   * @throws ValidationError naming datum, key and index, for what cannot be represented
   */
  from(value: TensorLike, options: TensorFromOptions = {}): TensorData {
    const elements = takeApart(value, options);
    const dtype = options.dtype ?? dtypeOf(elements, options);
    const data =
      dtype === "float32" ? castToFloat32(elements.values, options) : castToInt64(elements.values, options);
    const shape = options.shape ?? elements.shape;
    const tensor: TensorData = {
      data,
      dtype,
      ...(shape === undefined ? {} : { shape: [...shape] }),
      ...(isTensorRecord(value) ? sparseFieldsOf(value) : {}),
    };
    const fault = tensorFault(tensor);
    if (fault !== undefined) throw tensorError(options, `${fault.field} ${fault.message}`, fault.index);
    return tensor;
  },
} as const;

function takeApart(value: TensorLike, place: TensorPlace): Elements {
  if (Array.isArray(value)) {
    return { ...flattenList(value as NestedList, place), dtype: undefined };
  }
  if (ArrayBuffer.isView(value)) {
    const dtype = typedArrayDtype(value, place);
    // A view that is no DataView (which typedArrayDtype refuses) is array-like.
    const values = value as unknown as ArrayLike<unknown>;
    return { values, shape: [values.length], dtype };
  }
  if (isTfTensorLike(value)) return takeTfTensorApart(value, place);
  if (isTensorRecord(value)) return { values: value.data, shape: value.shape, dtype: value.dtype };
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return takeScalarApart(value, place);
  }
  throw tensorError(place, `expected numbers, got ${describeValue(value)}`);
}

function takeScalarApart(value: TensorElement, place: TensorPlace): Elements {
  if (place.key !== undefined) throw tensorError(place, `expected a list of numbers, got ${value}`);
  return { values: [value], shape: [], dtype: undefined };
}

function takeTfTensorApart(
  tensor: { readonly shape: readonly number[]; readonly dtype: string; dataSync(): ArrayLike<unknown> },
  place: TensorPlace,
): Elements {
  const dtype = tensor.dtype === "float32" ? "float32" : "int64";
  if (dtype === "int64" && tensor.dtype !== "int32" && tensor.dtype !== "bool") {
    throw tensorError(place, `a tf.Tensor of dtype ${tensor.dtype} has no counterpart; cast it first`);
  }
  return { values: tensor.dataSync(), shape: tensor.shape, dtype };
}

function typedArrayDtype(value: ArrayBufferView, place: TensorPlace): TensorDtype {
  if (value instanceof DataView) throw tensorError(place, "a DataView holds bytes, not numbers");
  if (value instanceof Float32Array || value instanceof Float64Array) return "float32";
  return "int64";
}

function dtypeOf(elements: Elements, place: TensorPlace): TensorDtype {
  const byKey = keyDtype(place.key);
  // Token ids are integers, even when a float array holds them.
  if (byKey === "int64") return byKey;
  const dtype = elements.dtype ?? byKey;
  if (dtype !== undefined) return dtype;
  const remedy =
    place.key === undefined
      ? "pass `dtype`, or a typed array"
      : `keys whose lists have one are ${Object.keys(lossInputDtypes).join(", ")}; pass a typed array or a TensorData for others`;
  throw tensorError(place, `the dtype of a plain list is not known here; ${remedy}`);
}

function keyDtype(key: string | undefined): TensorDtype | undefined {
  return key !== undefined && Object.hasOwn(lossInputDtypes, key) ? lossInputDtypes[key] : undefined;
}

function isTensorRecord(value: unknown): value is TensorRecord {
  return typeof value === "object" && value !== null && "data" in value && "dtype" in value;
}

function sparseFieldsOf(
  record: TensorRecord,
): Pick<TensorRecord, "sparse_crow_indices" | "sparse_col_indices"> {
  const { sparse_crow_indices, sparse_col_indices } = record;
  return {
    ...(sparse_crow_indices === undefined ? {} : { sparse_crow_indices }),
    ...(sparse_col_indices === undefined ? {} : { sparse_col_indices }),
  };
}
