import { tensorFault } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import type { ProtoReader } from "../proto-bytes/proto-reader.js";
import { int64Of, readElements } from "../proto-bytes/read-elements.js";

/** Reads a `Tensor` message. `isShapeStated`: an empty shape means a scalar (results) and not "not stated" (requests). */
export function readTensor(reader: ProtoReader, options: { readonly isShapeStated: boolean }): TensorData {
  let values: Uint8Array = NO_BYTES;
  let sparse: ProtoReader | undefined;
  let dtype = 0;
  const shape: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) {
      values = reader.bytes("dense");
      // The last of the two counts; a fault in what it replaces is one all the same.
      if (sparse !== undefined) readCsr(sparse);
      sparse = undefined;
    } else if (reader.field === 2) sparse = reader.message("sparse_csr", sparse);
    else if (reader.field === 3) dtype = reader.int32("dtype");
    else if (reader.field === 4) reader.dimensions("shape", shape);
    else reader.skip();
  }
  const csr = sparse === undefined ? undefined : readCsr(sparse);
  const { data, dtype: elementDtype } = readElements(
    reader,
    csr?.values ?? values,
    dtype,
    csr === undefined ? "dense" : "sparse_csr.values",
  );
  const hasShape = shape.length > 0 || options.isShapeStated;
  const tensor: TensorData = {
    data,
    dtype: elementDtype,
    ...(hasShape ? { shape } : {}),
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
