import type { Datum, ModelInputChunk, TensorData } from "@tinkex/types";

/** Measures how much one datum adds to a request. */
export type DatumSize = (datum: Datum) => number;

/** What one token and one tensor element count. */
interface Rates {
  readonly token: number;
  tensor(tensor: TensorData): number;
}

/** Estimated bytes of a datum in a protobuf body: 4 a token, stored elements at their width, 8 a sparse index. */
export const protobufBytes: DatumSize = sizeBy({
  token: 4,
  tensor: ({ data, dtype, sparse_crow_indices, sparse_col_indices }) =>
    data.length * (dtype === "float32" ? 4 : 8) +
    8 * ((sparse_crow_indices?.length ?? 0) + (sparse_col_indices?.length ?? 0)),
});

/** Estimated bytes of a datum in a JSON body: 10 a token and 10 an element. */
export const jsonBytes: DatumSize = sizeBy({ token: 10, tensor: ({ data }) => 10 * data.length });

/** Numbers in a datum, the measure of servers of the 0.4 generation. An image counts the tokens it declares. */
export const numberCount: DatumSize = (datum) =>
  datum.model_input.chunks.reduce((sum, chunk) => sum + chunkLength(chunk), 0) +
  Object.values(datum.loss_fn_inputs).reduce((sum, tensor) => sum + tensor.data.length, 0);

function sizeBy(rates: Rates): DatumSize {
  return (datum) => {
    let bytes = 0;
    for (const chunk of datum.model_input.chunks) bytes += chunkBytes(chunk, rates.token);
    for (const tensor of Object.values(datum.loss_fn_inputs)) bytes += rates.tensor(tensor);
    return bytes;
  };
}

/** Estimated bytes of one chunk of a prompt, at `tokenBytes` a token. */
export function chunkBytes(chunk: ModelInputChunk, tokenBytes: number): number {
  if ("tokens" in chunk) return chunk.tokens.length * tokenBytes;
  if ("dmel" in chunk) return chunk.dmel.length;
  return "location" in chunk ? chunk.location.length : chunk.data.length;
}

function chunkLength(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length;
  return "expected_tokens" in chunk ? (chunk.expected_tokens ?? 0) : 0;
}
