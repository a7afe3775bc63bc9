import { checkKnownNames, describeValue, type TensorData, type TensorFault, tensorFault } from "@tinkex/base";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** Fields that JSON may have null for, where nothing is stated. */
const LISTS = ["shape", "sparse_crow_indices", "sparse_col_indices"] as const;

/**
 * Gives the tensor, if it is one: a value that plain JavaScript passed may be anything. Null where nothing is stated is left out. One
 * pass over the elements of a list, none over a typed array.
 *
 * @throws ValidationError naming the place, the field and the element
 */
export function checkTensor(tensor: TensorData, place: TensorPlace): TensorData {
  if (typeof tensor !== "object" || tensor === null || Array.isArray(tensor) || ArrayBuffer.isView(tensor)) {
    const got = describeValue(tensor);
    throw tensorError(
      place,
      `expected a tensor, { data, dtype, shape? }, got ${got}; TensorData.from makes one`,
    );
  }
  const stated = withoutNulls(tensor);
  for (const field of LISTS) {
    const list = stated[field];
    if (list === undefined || Array.isArray(list)) continue;
    throw tensorError(place, `${field} must be a list of integers, got ${describeValue(list)}`);
  }
  const fault = tensorFault(stated);
  if (fault !== undefined) throw tensorFaultError(place, fault);
  return stated;
}

/** Makes the error for a fault of a tensor, with its place. An index without a field is that of an element. */
export function tensorFaultError(place: TensorPlace, { field, index, message }: TensorFault): Error {
  if (field === "data" || index === undefined) return tensorError(place, `${field} ${message}`, index);
  return tensorError(place, message, index, field);
}

/** @throws ValidationError for an option of a place that is misspelt, which would be ignored */
export function checkPlaceNames(place: TensorPlace): void {
  checkKnownNames(place, { key: true, datumIndex: true }, "options");
}

function withoutNulls(tensor: TensorData): TensorData {
  if (LISTS.every((field) => tensor[field] !== null)) return tensor;
  const stated = Object.entries(tensor).filter(([, value]) => value !== null);
  return Object.fromEntries(stated) as unknown as TensorData;
}
