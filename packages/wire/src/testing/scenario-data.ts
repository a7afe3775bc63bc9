import { lossInputDtypes } from "@tinkex/base";
import type {
  Datum,
  ModelInput,
  ModelInputChunk,
  ProvenanceSpan,
  TensorData,
  TensorDtype,
} from "@tinkex/types";

/** The 70 bytes of the recordings' one-pixel PNG. */
const ONE_PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Json = Readonly<Record<string, unknown>>;

/** Makes a prompt or model input as a scenario writes it: a list of tokens, or chunks among which a list is a text chunk. */
export function modelInputOf(value: unknown): ModelInput {
  if (Array.isArray(value)) return { chunks: [{ tokens: value as number[] }] };
  return { chunks: (value as { chunks: unknown[] }).chunks.map(chunkOf) };
}

function chunkOf(value: unknown): ModelInputChunk {
  if (Array.isArray(value)) return { tokens: value as number[] };
  const members = Object.entries(value as Json).map(([key, member]) => [key, bytesOf(member)]);
  const { tokens, ...chunk } = Object.fromEntries(members) as Json;
  // The images of 0.4.1 have a number of tokens.
  if (typeof tokens === "number") return { ...chunk, expected_tokens: tokens } as unknown as ModelInputChunk;
  return (tokens === undefined ? chunk : { ...chunk, tokens }) as unknown as ModelInputChunk;
}

function bytesOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("$png" in value) return ONE_PIXEL_PNG;
  return "$base64" in value ? value.$base64 : value;
}

/** Makes a datum as a scenario writes it. */
export function datumOf(value: unknown): Datum {
  const { model_input, loss_fn_inputs, model_input_spans, loss_fn_input_spans } = value as {
    readonly model_input: unknown;
    readonly loss_fn_inputs: Json;
    readonly model_input_spans?: readonly Json[];
    readonly loss_fn_input_spans?: readonly Json[];
  };
  const tensors = Object.entries(loss_fn_inputs).map(([key, tensor]) => [key, tensorOf(key, tensor)]);
  const spans =
    model_input_spans === undefined || loss_fn_input_spans === undefined
      ? {}
      : {
          model_input_spans: model_input_spans.map(spanOf),
          loss_fn_input_spans: loss_fn_input_spans.map(spanOf),
        };
  return { model_input: modelInputOf(model_input), loss_fn_inputs: Object.fromEntries(tensors), ...spans };
}

function spanOf({ kind, ...span }: Json): ProvenanceSpan {
  return { type: `${String(kind)}_tokens`, ...span } as unknown as ProvenanceSpan;
}

/** Makes a tensor of a list (its dtype by the key), an array with its own dtype, or a tensor. */
function tensorOf(key: string, value: unknown): TensorData {
  if (Array.isArray(value)) {
    const dtype = lossInputDtypes[key];
    if (dtype === undefined) throw new Error(`no dtype for the list under ${key}`);
    return { data: elementsOf(value.flat(5), dtype), dtype, shape: shapeOf(value) };
  }
  const { $array, data, shape, ...rest } = value as Json & { data: unknown[]; shape?: number[] };
  if (typeof $array === "string") {
    const dtype = $array.startsWith("float") ? "float32" : "int64";
    return { data: elementsOf(data, dtype), dtype, shape: shape ?? [data.length] };
  }
  const dtype = rest.dtype as TensorDtype;
  return { ...rest, data: elementsOf(data, dtype), dtype, ...(shape === undefined ? {} : { shape }) };
}

function shapeOf(list: readonly unknown[]): number[] {
  const [first] = list;
  return Array.isArray(first) ? [list.length, ...shapeOf(first)] : [list.length];
}

function elementsOf(list: readonly unknown[], dtype: TensorDtype): TensorData["data"] {
  const numbers = list.map((element) => {
    if (typeof element !== "object" || element === null) return element as number;
    const { $int, $float } = element as { $int?: string; $float?: string };
    return $int === undefined ? Number($float) : BigInt($int);
  });
  if (dtype === "int64" && numbers.some((number) => typeof number === "bigint"))
    return BigInt64Array.from(numbers, BigInt);
  return numbers as number[];
}

/** Makes the datums of a generated call: `for i in first..: input [i mod 1000, 2], targets [2, i mod 7], weights [1, 0.5]`. */
export function generatedData({
  count,
  first_i = 0,
}: {
  readonly count: number;
  readonly first_i?: number;
}): Datum[] {
  return Array.from({ length: count }, (_, index) => {
    const i = first_i + index;
    return {
      model_input: { chunks: [{ tokens: [i % 1000, 2] }] },
      loss_fn_inputs: {
        target_tokens: { data: [2, i % 7], dtype: "int64", shape: [2] },
        weights: { data: [1, 0.5], dtype: "float32", shape: [2] },
      },
    };
  });
}
