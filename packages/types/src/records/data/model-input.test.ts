import { type ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { Datum } from "./datum.js";
import { ModelInput, modelInputSchema } from "./model-input.js";
import { checkSent } from "../../schema/check-record.js";

const image = { data: Uint8Array.of(1), format: "png" } as const;

describe("ModelInput", () => {
  it("wire-types 27: an empty list makes one chunk, empty() makes none", () => {
    expect(ModelInput.fromInts([])).toEqual({ chunks: [{ tokens: [], type: "encoded_text" }] });
    expect(ModelInput.length(ModelInput.fromInts([]))).toBe(0);
    expect(ModelInput.toInts(ModelInput.fromInts([]))).toEqual([]);
    expect(ModelInput.empty().chunks).toEqual([]);
  });

  it("refuses a chunk that is no object, and says what came", () => {
    const chunk = (value: unknown) => () =>
      checkSent(modelInputSchema, { chunks: [value] } as never, "ModelInput");
    expect(chunk("hello")).toThrow("ModelInput: chunks[0]: must be an object, got a string");
    expect(chunk(7)).toThrow("ModelInput: chunks[0]: must be an object, got 7");
    expect(chunk(null)).toThrow("ModelInput: chunks[0]: must be an object, got null");
  });

  it("wire-types 27: append leaves the original as it is and merges nothing", () => {
    const input = ModelInput.fromInts([1]);
    const longer = ModelInput.appendInt(input, 2);
    expect(input.chunks).toHaveLength(1);
    expect(longer.chunks).toHaveLength(2);
    expect(ModelInput.toInts(longer)).toEqual([1, 2]);
  });

  it("wire-types 27: toInts throws for an image", () => {
    const input = ModelInput.append(ModelInput.fromInts([1]), image);
    expect(() => ModelInput.toInts(input)).toThrow("chunks[1] is image, not text");
  });

  it("wire-types 27: length counts expected tokens, and throws without them", () => {
    const input = ModelInput.append(ModelInput.fromInts([1, 2]), { ...image, expected_tokens: 5 });
    expect(ModelInput.length(input)).toBe(7);
    expect(() => ModelInput.length(ModelInput.append(input, image))).toThrow(
      "chunks[2] is image without expected_tokens",
    );
  });

  // huggingface/transformers.js#362: ids are refused in the typed array that a tokenizer gives.
  it.each([
    ["Uint32Array", Uint32Array.of(1, 70_000)],
    ["Uint16Array", Uint16Array.of(1, 60_000)],
    ["Uint8Array", Uint8Array.of(1, 255)],
    ["Int16Array", Int16Array.of(1, -1)],
    ["BigInt64Array", BigInt64Array.of(1n, 70_000n)],
    ["BigUint64Array", BigUint64Array.of(1n, 2n)],
  ])("makes token ids of a %s", (_, tokens) => {
    const input = ModelInput.fromInts(tokens);
    expect(checkSent(modelInputSchema, input, "ModelInput")).toEqual({
      chunks: [{ tokens: Array.from<number | bigint, number>(tokens, Number), type: "encoded_text" }],
    });
    expect(Datum.of(tokens, {}).model_input).toEqual(input);
  });

  it("keeps lists and Int32Arrays as they are, without a copy", () => {
    for (const tokens of [[1, 2], Int32Array.of(1, 2)])
      expect(ModelInput.fromInts(tokens).chunks[0]).toHaveProperty("tokens", tokens);
  });

  it("makes token ids of a tensor of integers in one dimension, and refuses others", () => {
    const tensor = (dtype: string, shape: number[], read: () => ArrayLike<number>) => ({
      dtype,
      shape,
      dataSync: read,
      data: async () => read(),
    });
    const input = ModelInput.fromInts(tensor("int32", [2], () => Int32Array.of(7, 8)));
    expect(ModelInput.toInts(input)).toEqual([7, 8]);
    expect(() => ModelInput.fromInts(tensor("float32", [2], () => [7, 8]))).toThrow(
      "ModelInput.fromInts: tokens must be a tensor of dtype int32 and one dimension, got dtype float32 and shape [2]",
    );
    expect(() => ModelInput.fromInts(tensor("int32", [1, 2], () => [7, 8]))).toThrow("shape [1, 2]");
    const later = tensor("int32", [2], () => {
      throw new Error("call data()");
    });
    expect(() => ModelInput.fromInts(later)).toThrow("pass await tensor.data()");
  });

  it("takes a tensor of the API, as answers hold them", () => {
    const tensor = { data: BigInt64Array.of(7n, 8n), dtype: "int64", shape: [2] } as const;
    expect(ModelInput.toInts(ModelInput.fromInts(tensor))).toEqual([7, 8]);
    const listed = { data: [7], dtype: "int64" } as const;
    expect(ModelInput.toInts(ModelInput.fromInts(listed))).toEqual([7]);
    const sparse = { ...tensor, sparse_crow_indices: [0, 2], sparse_col_indices: [0, 1] };
    const floats = { data: Float32Array.of(1), dtype: "float32" } as const;
    for (const wrong of [{ ...tensor, shape: [1, 2] }, floats, sparse])
      expect(() => ModelInput.fromInts(wrong)).toThrow("must be a dense int64 tensor of one dimension");
    // A caller of plain JavaScript.
    const circular: { dtype: string; data?: unknown } = { dtype: "int64" };
    circular.data = circular;
    expect(() => ModelInput.fromInts(circular as never)).toThrow("tokens must be an array or a typed array");
  });

  it("refuses floats, and ids that 32 bits cannot hold", () => {
    // A caller of plain JavaScript.
    const floats = Float64Array.of(1, 2) as unknown as readonly number[];
    expect(() => ModelInput.fromInts(floats)).toThrow("tokens must be integers, got a Float64Array");
    const input = ModelInput.fromInts(BigInt64Array.of(1n, 2n ** 40n));
    expect(() => checkSent(modelInputSchema, input, "ModelInput")).toThrow(
      "chunks[0].tokens[1]: must be a token id (an integer of 32 bits), got 1099511627776",
    );
  });

  it("refuses memory that another thread has", () => {
    const tokens = Int32Array.of(1, 2);
    const bytes = Uint8Array.of(1);
    structuredClone([tokens.buffer, bytes.buffer], { transfer: [tokens.buffer, bytes.buffer] });
    expect(() => ModelInput.fromInts(tokens)).toThrow("memory was transferred to another thread");
    const check = (chunk: object) => () => checkSent(modelInputSchema, { chunks: [chunk] }, "ModelInput");
    expect(check({ tokens })).toThrow("chunks[0].tokens: is a typed array whose memory was transferred");
    expect(check({ data: bytes, format: "png" })).toThrow("chunks[0].data: must be bytes");
    expect(check({ tokens: new Int32Array(0) })).not.toThrow();
  });

  it("reads typed arrays and untyped chunks", () => {
    const input = { chunks: [{ tokens: Int32Array.of(1, 2) }, { tokens: [3] }] };
    expect(ModelInput.toInts(input)).toEqual([1, 2, 3]);
    expect(checkSent(modelInputSchema, input, "ModelInput")).toEqual(input);
  });

  it("survives structuredClone and JSON", () => {
    const input = ModelInput.fromInts([1, 2]);
    expect(structuredClone(input)).toEqual(input);
    expect(JSON.parse(JSON.stringify(input))).toEqual(input);
  });

  it.each<[object, string, (string | number)[]]>([
    [
      { chunks: [{ tokens: [1, 2.5] }] },
      "must be a token id (an integer of 32 bits), got 2.5",
      ["chunks", 0, "tokens", 1],
    ],
    [{ chunks: [{ tokens: [2 ** 31] }] }, "got 2147483648", ["chunks", 0, "tokens", 0]],
    [{ chunks: [{ tokens: ["7"] }] }, 'got "7"', ["chunks", 0, "tokens", 0]],
    [{ chunks: [{ tokens: [Promise.resolve(7)] }] }, "got a promise: await it first", ["chunks", 0, "tokens", 0]],
    [{ chunks: [{ token: [1] }] }, "must be a list of token ids", ["chunks", 0, "tokens"]],
    [{ chunks: [{ type: "encoded_txt" }] }, 'did you mean "encoded_text"?', ["chunks", 0]],
    [
      { chunks: [{ type: "video" }] },
      'type: must be one of "encoded_text", "image", "image_asset_pointer", "dmel", got "video"',
      ["chunks", 0],
    ],
    [
      { chunks: [{ data: "", format: "gif" }] },
      'must be one of "png", "jpeg", got "gif"',
      ["chunks", 0, "format"],
    ],
    [{ chunk: [] }, 'unknown field "chunk", did you mean "chunks"?', ["chunks"]],
  ])("refuses %j", (input, message, path) => {
    const check = () => checkSent(modelInputSchema, input, "ModelInput");
    expect(check).toThrow(message);
    try {
      check();
    } catch (error) {
      expect((error as ValidationError).path).toEqual(path);
    }
  });
});
