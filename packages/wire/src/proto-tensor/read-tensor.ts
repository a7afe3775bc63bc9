import { tensorFault } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import { float32Of, float32OfBfloat16, int64Of, int64OfInt32 } from "../proto-bytes/element-bytes.js";
import type { ProtoReader } from "../proto-bytes/proto-reader.js";
import { protoDtype } from "./dtype.js";

/** Reads a `Tensor` message. `statedShape`: an empty shape means a scalar (results) and not "not stated" (requests). */
export function readTensor(reader: ProtoReader, options: { readonly statedShape: boolean }): TensorData {
  let values: Uint8Array = NO_BYTES;
  let csr: CsrBytes | undefined;
  let dtype = 0;
  const shape: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) {
      values = reader.bytes("dense");
      csr = undefined;
    } else if (reader.field === 2) csr = readCsr(reader.message("sparse_csr"));
    else if (reader.field === 3) dtype = reader.int32("dtype");
    else if (reader.field === 4) reader.dimensions("shape", shape);
    else reader.skip();
  }
  const elements = readElements(
    reader,
    csr?.values ?? values,
    dtype,
    csr === undefined ? "dense" : "sparse_csr.values",
  );
  const stated = shape.length > 0 || options.statedShape;
  const tensor: TensorData = {
    ...elements,
    ...(stated ? { shape } : {}),
    ...(csr === undefined
      ? {}
      : {
          sparse_crow_indices: indicesOf(reader, csr.crow, "sparse_csr.crow_indices"),
          sparse_col_indices: indicesOf(reader, csr.columns, "sparse_csr.col_indices"),
        }),
  };
  const fault = tensorFault(tensor);
  if (fault !== undefined) throw reader.fault(fault.field, fault.message);
  return tensor;
}

/** The typed array of a dtype; int32 is widened to int64 and bfloat16 to float32. */
export function readElements(
  reader: ProtoReader,
  bytes: Uint8Array,
  dtype: number,
  field: string,
): { readonly data: Float32Array | BigInt64Array; readonly dtype: "float32" | "int64" } {
  const size = bytesPerElement(dtype);
  if (size === undefined) throw reader.fault("dtype", `dtype ${dtype} of ${field} is not known`);
  if (bytes.length % size !== 0) {
    throw reader.fault(field, `${bytes.length} bytes are not a whole number of elements of ${size} bytes`);
  }
  switch (dtype) {
    case protoDtype.float32:
      return { data: float32Of(bytes), dtype: "float32" };
    case protoDtype.bfloat16:
      return { data: float32OfBfloat16(bytes), dtype: "float32" };
    case protoDtype.int32:
      return { data: int64OfInt32(bytes), dtype: "int64" };
    default:
      return { data: int64Of(bytes), dtype: "int64" };
  }
}

/** Bytes of one element on the wire, undefined for a dtype that does not exist. */
export function bytesPerElement(dtype: number): number | undefined {
  return ELEMENT_BYTES[dtype];
}

const ELEMENT_BYTES: Readonly<Record<number, number>> = {
  [protoDtype.float32]: 4,
  [protoDtype.int64]: 8,
  [protoDtype.int32]: 4,
  [protoDtype.bfloat16]: 2,
};

const NO_BYTES = new Uint8Array(0);

interface CsrBytes {
  readonly values: Uint8Array;
  readonly crow: Uint8Array;
  readonly columns: Uint8Array;
}

function readCsr(reader: ProtoReader): CsrBytes {
  let values: Uint8Array = NO_BYTES;
  let crow: Uint8Array = NO_BYTES;
  let columns: Uint8Array = NO_BYTES;
  while (reader.next()) {
    if (reader.field === 1) values = reader.bytes("values");
    else if (reader.field === 2) crow = reader.elements("crow_indices", 8);
    else if (reader.field === 3) columns = reader.elements("col_indices", 8);
    else reader.skip();
  }
  return { values, crow, columns };
}

function indicesOf(reader: ProtoReader, bytes: Uint8Array, field: string): number[] {
  return Array.from(int64Of(bytes), (index) => {
    const value = Number(index);
    if (!Number.isSafeInteger(value)) throw reader.fault(field, "an index beyond 2^53");
    return value;
  });
}
