import type { Datum, ProvenanceSpan } from "@tinkex/types";
import { chunkBytes, chunkLength } from "../../inputs/model-input.js";
import type { ChunkLimits } from "../../session/server-generation.js";

/** A run of datums that travels in one request. */
export interface DataChunk {
  readonly data: readonly Datum[];
  readonly size: number;
}

/** Cuts data into runs within `limits`, in order, as few as taking the most each time gives. No datum is cut. */
export function splitIntoChunks(data: readonly Datum[], limits: ChunkLimits): DataChunk[] {
  const sizeOf = DATUM_SIZES[limits.measure];
  const chunks: DataChunk[] = [];
  let start = 0;
  let size = 0;
  for (let index = 0; index < data.length; index += 1) {
    const datum = data[index];
    if (datum === undefined) continue;
    const datumSize = sizeOf(datum);
    const length = index - start;
    if (length > 0 && (size + datumSize > limits.maxSize || length === limits.maxLength)) {
      chunks.push({ data: data.slice(start, index), size });
      start = index;
      size = 0;
    }
    size += datumSize;
  }
  if (start < data.length) chunks.push({ data: data.slice(start), size });
  return chunks;
}

/** Measures how much one datum adds to a request. */
type DatumSize = (datum: Datum) => number;

/**
 * Estimated bytes of a datum in a protobuf body: 4 a token, stored elements at their width, 8 a sparse index, and spans, which the
 * official SDKs leave out.
 */
const protobufBytes: DatumSize = ({
  model_input,
  loss_fn_inputs,
  model_input_spans,
  loss_fn_input_spans,
}) => {
  let bytes = 0;
  for (const chunk of model_input.chunks) bytes += chunkBytes(chunk, 4);
  // Not the list of values, which would be made anew for each datum.
  for (const key in loss_fn_inputs) {
    const tensor = loss_fn_inputs[key];
    if (tensor === undefined) continue;
    const { data, dtype, sparse_crow_indices: crow, sparse_col_indices: columns } = tensor;
    bytes += data.length * (dtype === "float32" ? 4 : 8);
    if (crow !== undefined) bytes += 8 * crow.length;
    if (columns !== undefined) bytes += 8 * columns.length;
  }
  if (model_input_spans !== undefined) bytes += spanBytes(model_input_spans);
  if (loss_fn_input_spans !== undefined) bytes += spanBytes(loss_fn_input_spans);
  return bytes;
};

/** Estimated bytes of a datum in a JSON body, which has no spans: 10 a token and 10 an element. */
const jsonBytes: DatumSize = ({ model_input, loss_fn_inputs }) => {
  let bytes = 0;
  for (const chunk of model_input.chunks) bytes += chunkBytes(chunk, 10);
  for (const { data } of Object.values(loss_fn_inputs)) bytes += 10 * data.length;
  return bytes;
};

/** Numbers in a datum, the measure of servers of the 0.4 generation. An image counts the tokens it declares. */
const numberCount: DatumSize = (datum) =>
  datum.model_input.chunks.reduce((sum, chunk) => sum + chunkLength(chunk), 0) +
  Object.values(datum.loss_fn_inputs).reduce((sum, tensor) => sum + tensor.data.length, 0);

/** Bytes of spans of provenance: 18 beside the id of the sample. */
function spanBytes(spans: readonly ProvenanceSpan[]): number {
  return spans.reduce((sum, { sequence_id: id }) => sum + 18 + id.length, 0);
}

/** The measures that a server's limits may be stated in. */
export const DATUM_SIZES: Readonly<Record<ChunkLimits["measure"], DatumSize>> = {
  protobuf: protobufBytes,
  json: jsonBytes,
  numbers: numberCount,
};
