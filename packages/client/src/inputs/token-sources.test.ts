import { checkRecord, type ModelInput, modelInputSchema } from "@tinkex/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toModelInput } from "./model-input.js";

describe("a prompt given as tokens", () => {
  const tensor = {
    dtype: "int32",
    shape: [2],
    dataSync: () => Int32Array.of(7, 8),
    data: async () => [7, 8],
  };

  it.each([
    ["a list", [7, 8]],
    ["an Int32Array", Int32Array.of(7, 8)],
    ["a Uint32Array", Uint32Array.of(7, 8)],
    ["a BigInt64Array", BigInt64Array.of(7n, 8n)],
    ["a tensor of integers", tensor],
  ])("may be %s", (_, tokens) => {
    const { chunks } = toModelInput(tokens, "sample: prompt");
    expect(chunks.map((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []))).toEqual([[7, 8]]);
  });

  it("is refused where it holds no ids", () => {
    expect(() => toModelInput(BigInt64Array.of(2n ** 40n), "sample: prompt")).toThrow("must be a token id");
    expect(() => toModelInput({ ...tensor, dtype: "float32" }, "sample: prompt")).toThrow("dtype float32");
    // As one gives computeLogprobs what sample takes.
    expect(() => toModelInput({ prompt: [7, 8] } as never, "prompt")).toThrow(
      /^prompt must be an array or a typed array of numbers, got an object$/,
    );
  });
});

describe("a model input", () => {
  const member = fc.constantFrom<unknown>(
    ...[
      undefined,
      null,
      7,
      -0,
      1.5,
      2 ** 31,
      -(2 ** 31),
      "7",
      [],
      [7, 8],
      [7, 2 ** 40],
      [undefined, 7],
      ["7"],
      {},
    ],
    ...["encoded_text", "image", Int32Array.of(7), new Int32Array(0), Uint8Array.of(7), Float32Array.of(7)],
  );
  const chunk = fc.oneof(
    fc.record({ tokens: member, type: fc.constantFrom(undefined, "encoded_text", "image") }),
    fc.dictionary(fc.constantFrom("tokens", "type", "token", "data"), member),
    member,
  );

  it("is taken, refused and copied as its schema says, whichever way it is checked", () => {
    const inputs = fc.record({ chunks: fc.oneof(fc.array(chunk, { maxLength: 3 }), member) });
    fc.assert(
      fc.property(inputs, fc.boolean(), (fields, hasMore) => {
        const input = (hasMore ? { ...fields, chunk: [] } : fields) as ModelInput;
        const { value } = { value: undefined, ...checkRecord(modelInputSchema, input) };
        if (value === undefined) expect(() => toModelInput(input, "prompt")).toThrow("prompt: ");
        else expect(toModelInput(input, "prompt")).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("is a copy, so that the caller may change the chunks afterwards", () => {
    const chunks = [{ tokens: [7] }];
    const made = toModelInput({ chunks }, "prompt");
    chunks.push({ tokens: [8] });
    expect(made).toEqual({ chunks: [{ tokens: [7] }] });
  });
});
