import type {
  BatchedTensor,
  Chunk,
  ForwardBackwardOutput,
  ForwardBackwardRequest,
  ProvenanceSpan,
  SampleResponse,
  Tensor,
  TopkLogprobs,
} from "../../generated/tinker_public_pb.js";

/** Makes records of the messages that protobuf-es read: a second reading of what they mean, short and slow. */
export const RECORDS_OF = {
  SampleResponse: sample,
  ForwardBackwardOutput: output,
  ForwardBackwardRequest: request,
};

const EMPTY_LOGPROB = -99_999;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function int32s(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, index) => viewOf(bytes).getInt32(4 * index, true));
}

function float32s(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, index) => viewOf(bytes).getFloat32(4 * index, true));
}

function int64s(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / 8 }, (_, index) => viewOf(bytes).getBigInt64(8 * index, true));
}

/** Widens bfloat16 by its bits: a number that is read and written again would lose which NaN it was. */
function bfloat16s(bytes: Uint8Array): Float32Array {
  const bits = Uint16Array.from({ length: bytes.length }, (_, index) =>
    index % 2 === 0 ? 0 : viewOf(bytes).getUint16(index - 1, true),
  );
  return new Float32Array(bits.buffer);
}

function elements(bytes: Uint8Array, dtype: number) {
  if (dtype === 1) return { data: new Float32Array(Uint8Array.from(bytes).buffer), dtype: "float32" };
  if (dtype === 4) return { data: bfloat16s(bytes), dtype: "float32" };
  const integers = dtype === 2 ? int64s(bytes) : int32s(bytes).map(BigInt);
  return { data: BigInt64Array.from(integers), dtype: "int64" };
}

function tensor({ encoding, dtype, shape }: Tensor, isShapeStated: boolean) {
  const csr = encoding.case === "sparseCsr" ? encoding.value : undefined;
  const dense = encoding.case === "dense" ? encoding.value : new Uint8Array(0);
  return {
    ...elements(csr?.values ?? dense, dtype),
    ...(shape.length > 0 || isShapeStated ? { shape: shape.map(Number) } : {}),
    ...(csr === undefined
      ? {}
      : {
          sparse_crow_indices: int64s(csr.crowIndices).map(Number),
          sparse_col_indices: int64s(csr.colIndices).map(Number),
        }),
  };
}

function topk({ tokenIds, logprobs, k, length }: TopkLogprobs) {
  const [ids, values] = [
    int32s(tokenIds.subarray(0, 4 * k * length)),
    float32s(logprobs.subarray(0, 4 * k * length)),
  ];
  return Array.from({ length }, (_, row) => {
    const pairs = ids
      .slice(row * k, (row + 1) * k)
      .map((id, column): [number, number] => [id, values[row * k + column] ?? 0]);
    const last = pairs.findLastIndex(([id, logprob]) => id !== 0 || logprob !== EMPTY_LOGPROB);
    const first = pairs[0];
    return first?.[0] === 0 && first[1] === EMPTY_LOGPROB ? null : pairs.slice(0, last + 1);
  });
}

/** An optional matrix: one without rows or columns counts as none. */
function optionalTopk<Name extends string>(name: Name, matrix: TopkLogprobs | undefined): object {
  if (matrix === undefined || matrix.k === 0 || matrix.length === 0) return {};
  return { [name]: topk(matrix) };
}

function sample(message: SampleResponse): object {
  const prompt = float32s(message.promptLogprobs ?? new Uint8Array(0));
  const { targetPromptLogprobs: targets, promptAltTokens: alternatives } = message;
  return {
    sequences: message.sequences.map((sequence) => ({
      stop_reason: ["stop", "length"][sequence.stopReason] ?? `unknown(${sequence.stopReason})`,
      tokens: int32s(sequence.tokens),
      ...(sequence.logprobs?.length ? { logprobs: float32s(sequence.logprobs) } : {}),
      ...optionalTopk("topk_logprobs", sequence.topkSampledLogprobs),
    })),
    ...(prompt.length > 0
      ? { prompt_logprobs: prompt.map((value) => (Number.isNaN(value) ? null : value)) }
      : {}),
    ...optionalTopk("topk_prompt_logprobs", message.topkPromptLogprobs),
    prompt_cache_hit_tokens: message.promptCacheHitTokens,
    ...(targets === undefined ? {} : { target_prompt_logprobs: tensor(targets, true) }),
    ...(alternatives?.tokens === undefined || alternatives.logprobs === undefined
      ? {}
      : {
          prompt_alt_tokens: {
            tokens: tensor(alternatives.tokens, true),
            logprobs: tensor(alternatives.logprobs, true),
          },
        }),
  };
}

function rowsOf({ data, offsets, dtype, trailingShape }: BatchedTensor): object[] {
  const borders = int64s(offsets).map(Number);
  const trailing = trailingShape.map(Number);
  const rowSize = trailing.reduce((product, size) => product * size, 1);
  return borders.slice(1).map((end, index) => {
    const row = elements(data.subarray(borders[index], end), dtype);
    return { ...row, shape: [rowSize === 0 ? 0 : row.data.length / rowSize, ...trailing] };
  });
}

function output(message: ForwardBackwardOutput): object {
  const { lossFnOutputType: typeName, lossFnOutputs: records } = message;
  const columns = new Map<string, object[]>();
  for (const { fields } of records)
    for (const [key, batched] of Object.entries(fields))
      columns.set(key, [...(columns.get(key) ?? []), ...rowsOf(batched)]);
  const claimed = records.reduce((sum, { numDatums }) => sum + Number(numDatums), 0);
  const count = claimed === 0 ? ([...columns.values()][0]?.length ?? 0) : claimed;
  return {
    loss_fn_output_type:
      records.length === 0 ? typeName || "ArrayRecord" : typeName.slice(typeName.lastIndexOf(":") + 1),
    loss_fn_outputs: Array.from({ length: count }, (_, index) =>
      Object.fromEntries([...columns].map(([key, column]) => [key, column[index]])),
    ),
    metrics: message.metrics,
  };
}

function request(message: ForwardBackwardRequest): object {
  const tagged = Object.entries(message.lossFnConfigV2).map(([key, { value }]) => [key, value.value]);
  const config = tagged.length > 0 ? Object.fromEntries(tagged) : message.lossFnConfig;
  return {
    forward_backward_input: {
      data: message.data.map((datum) => ({
        model_input: { chunks: datum.modelInput.map(chunk) },
        loss_fn_inputs: Object.fromEntries(
          Object.entries(datum.lossFnInputs).map(([key, value]) => [key, tensor(value, false)]),
        ),
        ...(datum.modelInputSpans.length + datum.lossFnInputSpans.length === 0
          ? {}
          : {
              model_input_spans: datum.modelInputSpans.map(span),
              loss_fn_input_spans: datum.lossFnInputSpans.map(span),
            }),
      })),
      loss_fn: message.lossFn,
      ...(Object.keys(config).length > 0 ? { loss_fn_config: config } : {}),
    },
    model_id: message.modelId,
    seq_id: message.seqId,
    forward_only: message.forwardOnly,
  };
}

function chunk({ chunk: content }: Chunk): object {
  switch (content.case) {
    case "encodedText":
      return { tokens: Int32Array.from(int32s(content.value.tokens)), type: "encoded_text" };
    case "image": {
      const { data, format, expectedTokens } = content.value;
      const expected = expectedTokens === undefined ? {} : { expected_tokens: expectedTokens };
      return { data, format, type: "image", ...expected };
    }
    case "dmel":
      return { dmel: content.value.dmel, type: "dmel" };
    default:
      throw new Error("a chunk without content, which the reader refuses");
  }
}

function span({ span: content }: ProvenanceSpan): object {
  if (content.case === undefined) throw new Error("a span without content, which the reader refuses");
  const { sequenceId, offset, length } = content.value;
  const type = content.case === "promptTokens" ? "prompt_tokens" : "sampled_tokens";
  return { type, sequence_id: sequenceId, offset: Number(offset), length: Number(length) };
}
