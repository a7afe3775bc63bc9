/** Bytes of the recordings' one-pixel PNG, as base64. */
const ONE_PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Json = Readonly<Record<string, unknown>>;

/** Reads the forms in which a scenario writes what JSON cannot hold: `{ "$int" }`, `{ "$float" }`, bytes and arrays with a dtype. */
export function readValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readValue);
  if (typeof value !== "object" || value === null) return value;
  if ("$int" in value) return BigInt(String(value.$int));
  if ("$float" in value) return Number(value.$float);
  if ("$png" in value) return ONE_PIXEL_PNG;
  if ("$base64" in value) return value.$base64;
  if ("$array" in value && "data" in value && Array.isArray(value.data))
    return arrayOf(value.$array, value.data, value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readValue(member)]));
}

/** Makes a tensor of a numpy array; there the dtype of the array is narrowed to the two that the API has. */
function arrayOf(dtype: unknown, data: readonly unknown[], array: Json): unknown {
  const isFloat = String(dtype).startsWith("float");
  return {
    data: data.map(readValue),
    dtype: isFloat ? "float32" : "int64",
    shape: array.shape ?? [data.length],
  };
}

/** Reads a prompt or model input: a list of tokens, or chunks among which a list is a text chunk. */
export function inputOf(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  const { chunks } = readValue(value) as { readonly chunks: readonly unknown[] };
  return { chunks: chunks.map(chunkOf) };
}

function chunkOf(chunk: unknown): unknown {
  if (Array.isArray(chunk)) return { tokens: chunk };
  const { type, tokens, ...others } = chunk as Json;
  // The images of 0.4.1 have a number of tokens.
  if (typeof tokens === "number") return { type, ...others, expected_tokens: tokens };
  return tokens === undefined ? chunk : { ...others, tokens };
}

/** Reads the data of a call, written out or generated. */
export function dataOf(args: Json): readonly unknown[] {
  if (args.data_generator !== undefined) return generatedData(args.data_generator as GeneratedData);
  return (args.data as readonly Json[]).map((datum) => {
    const { model_input, loss_fn_inputs, model_input_spans, loss_fn_input_spans } = datum;
    const inputs = readValue(loss_fn_inputs);
    const spans =
      model_input_spans === undefined
        ? {}
        : {
            model_input_spans: spansOf(model_input_spans),
            loss_fn_input_spans: spansOf(loss_fn_input_spans),
          };
    return { model_input: inputOf(model_input), loss_fn_inputs: inputs, ...spans };
  });
}

function spansOf(spans: unknown): unknown {
  return (spans as readonly Json[]).map(({ kind, ...span }) => ({ type: `${kind}_tokens`, ...span }));
}

interface GeneratedData {
  readonly count: number;
  readonly first_i?: number;
}

/** Makes the datums `for i in first_i..: input [i mod 1000, 2], targets [2, i mod 7], weights [1, 0.5]`. */
function generatedData({ count, first_i = 0 }: GeneratedData): readonly unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    model_input: [(first_i + index) % 1000, 2],
    loss_fn_inputs: { target_tokens: [2, (first_i + index) % 7], weights: [1, 0.5] },
  }));
}
