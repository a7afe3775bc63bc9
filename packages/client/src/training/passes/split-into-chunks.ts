import type { Datum, ProvenanceSpan, TensorData } from "@tinkex/types";
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
  for (const [index, datum] of data.entries()) {
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

/** The sizes that one token and one tensor count. */
interface Rates {
  readonly token: number;
  tensor(tensor: TensorData): number;
  /** Bytes of a span of provenance beside the id of its sample. */
  readonly span: number;
}

/**
 * Estimated bytes of a datum in a protobuf body: 4 a token, stored elements at their width, 8 a sparse index, and spans, which the
 * official SDKs leave out.
 */
const protobufBytes: DatumSize = sizeBy({
  token: 4,
  span: 18,
  tensor: ({ data, dtype, sparse_crow_indices, sparse_col_indices }) =>
    data.length * (dtype === "float32" ? 4 : 8) +
    8 * ((sparse_crow_indices?.length ?? 0) + (sparse_col_indices?.length ?? 0)),
});

/** Estimated bytes of a datum in a JSON body, which has no spans: 10 a token and 10 an element. */
const jsonBytes: DatumSize = sizeBy({ token: 10, span: 0, tensor: ({ data }) => 10 * data.length });

/** Numbers in a datum, the measure of servers of the 0.4 generation. An image counts the tokens it declares. */
const numberCount: DatumSize = (datum) =>
  datum.model_input.chunks.reduce((sum, chunk) => sum + chunkLength(chunk), 0) +
  Object.values(datum.loss_fn_inputs).reduce((sum, tensor) => sum + tensor.data.length, 0);

function sizeBy(rates: Rates): DatumSize {
  return (datum) => {
    let bytes = 0;
    for (const chunk of datum.model_input.chunks) bytes += chunkBytes(chunk, rates.token);
    for (const tensor of Object.values(datum.loss_fn_inputs)) bytes += rates.tensor(tensor);
    const { model_input_spans: inputSpans, loss_fn_input_spans: lossSpans } = datum;
    if (inputSpans !== undefined) bytes += spanBytes(inputSpans, rates);
    if (lossSpans !== undefined) bytes += spanBytes(lossSpans, rates);
    return bytes;
  };
}

function spanBytes(spans: readonly ProvenanceSpan[], { span }: Rates): number {
  if (span === 0) return 0;
  return spans.reduce((sum, { sequence_id: id }) => sum + span + id.length, 0);
}

/** The measures that a server's limits may be stated in. */
export const DATUM_SIZES: Readonly<Record<ChunkLimits["measure"], DatumSize>> = {
  protobuf: protobufBytes,
  json: jsonBytes,
  numbers: numberCount,
};
