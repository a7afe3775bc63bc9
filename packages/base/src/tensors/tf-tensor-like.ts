/** The part of a tfjs `Tensor` that is read here; recognised by shape, so that tfjs is never loaded. */
export interface TfTensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  /** The values in row-major order; backends that can only answer later throw. */
  dataSync(): ArrayLike<unknown>;
  /** The same, on every backend. */
  data(): Promise<ArrayLike<unknown>>;
}

/** Tells whether `value` looks like a tfjs tensor. */
export function isTfTensorLike(value: unknown): value is TfTensorLike {
  return (
    typeof value === "object" &&
    value !== null &&
    "dataSync" in value &&
    typeof value.dataSync === "function" &&
    "data" in value &&
    typeof value.data === "function" &&
    "shape" in value &&
    Array.isArray(value.shape)
  );
}
