/** The only two element types of the API. */
export type TensorDtype = "int64" | "float32";

/** Elements of an int64 tensor; a list holds safe integers only. */
export type Int64Data = Int32Array | BigInt64Array | readonly number[];

/** Elements of a float32 tensor; a list is rounded to float32 when it is encoded. */
export type Float32Data = Float32Array | readonly number[];

/**
 * A tensor: its elements in row-major order, and its shape. `TensorData.from` of `@tinkex/tensor` makes one from any array.
 *
 * Tensors from the service hold a `Float32Array` or a `BigInt64Array`, often a view on the bytes received.
 */
export interface TensorData {
  /** The elements, or in a sparse tensor the listed ones, row by row. */
  readonly data: Int64Data | Float32Data;
  readonly dtype: TensorDtype;
  /** Absent: one dimension, as long as the data. `[]`: a scalar. */
  readonly shape?: readonly number[] | undefined;
  /** CSR row pointers, `rows + 1` of them; makes the tensor sparse. Since 0.18. */
  readonly sparse_crow_indices?: readonly number[] | undefined;
  /** CSR column of each listed element. */
  readonly sparse_col_indices?: readonly number[] | undefined;
}
