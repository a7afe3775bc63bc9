import {
  chunkType,
  type Datum,
  type ForwardBackwardRequest,
  type ImageChunk,
  type LossFnConfig,
  type ModelInputChunk,
  type ProvenanceSpan,
  type TensorData,
} from "@tinkex/types";
import {
  DOUBLE_FIELD_SIZE,
  delimitedSize,
  presentStringSize,
  stringFieldSize,
  varintFieldSize,
  varintSize,
} from "../proto-bytes/field-size.js";
import { tensorSize } from "../proto-tensor/tensor-size.js";

/** Bytes of the protobuf form of a request. Looks at lengths only, never at elements. */
export function forwardBackwardSize(request: ForwardBackwardRequest): number {
  const { data, loss_fn, loss_fn_config } = request.forward_backward_input;
  return (
    stringFieldSize(request.model_id) +
    varintFieldSize(request.seq_id) +
    data.reduce((sum, datum) => sum + delimitedSize(datumSize(datum)), 0) +
    stringFieldSize(loss_fn) +
    lossConfigSize(loss_fn_config ?? {}) +
    varintFieldSize(request.forward_only === true ? 1 : 0)
  );
}

export function datumSize(datum: Datum): number {
  let size = 0;
  for (const chunk of datum.model_input.chunks) size += delimitedSize(chunkSize(chunk));
  for (const [key, tensor] of Object.entries(datum.loss_fn_inputs)) {
    size += delimitedSize(tensorEntrySize(key, tensor));
  }
  for (const span of datum.model_input_spans ?? []) size += delimitedSize(spanSize(span));
  for (const span of datum.loss_fn_input_spans ?? []) size += delimitedSize(spanSize(span));
  return size;
}

export function tensorEntrySize(key: string, tensor: TensorData): number {
  return presentStringSize(key) + delimitedSize(tensorSize(tensor));
}

export function chunkSize(chunk: ModelInputChunk): number {
  return delimitedSize(chunkContentSize(chunk));
}

/** Bytes of the message inside a `Chunk`. Images and audio must have been turned into bytes. */
export function chunkContentSize(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length === 0 ? 0 : delimitedSize(chunk.tokens.length * 4);
  if ("dmel" in chunk) return bytesFieldSize(chunk.dmel);
  if (chunkType(chunk) !== "image") throw new TypeError("an image asset pointer has no protobuf form");
  const image = chunk as ImageChunk;
  return (
    bytesFieldSize(image.data) +
    stringFieldSize(image.format) +
    (image.expected_tokens === undefined ? 0 : 1 + varintSize(image.expected_tokens))
  );
}

function bytesFieldSize(bytes: Uint8Array | string): number {
  return bytes.length === 0 ? 0 : delimitedSize(bytes.length);
}

export function spanSize(span: ProvenanceSpan): number {
  return delimitedSize(spanContentSize(span));
}

export function spanContentSize(span: ProvenanceSpan): number {
  return stringFieldSize(span.sequence_id) + varintFieldSize(span.offset ?? 0) + varintFieldSize(span.length);
}

/** Numbers are written twice: to the map of doubles that older servers read, and to the newer map of tagged values. */
function lossConfigSize(config: LossFnConfig): number {
  let size = 0;
  for (const [key, value] of Object.entries(config)) {
    size += delimitedSize(presentStringSize(key) + delimitedSize(configValueSize(value)));
    if (typeof value === "number") size += delimitedSize(presentStringSize(key) + DOUBLE_FIELD_SIZE);
  }
  return size;
}

export function configValueSize(value: number | string): number {
  return typeof value === "number" ? DOUBLE_FIELD_SIZE : presentStringSize(value);
}
