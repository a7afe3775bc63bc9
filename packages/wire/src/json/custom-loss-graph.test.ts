import type { CreateCustomLossRequest, GraphValue } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { decodeJsonRequest } from "./decode-json.js";
import { encodeJsonRequest } from "./encode-json.js";

const decoder = new TextDecoder();

function request(
  args: readonly GraphValue[],
  kwargs: { readonly [name: string]: GraphValue } = {},
): CreateCustomLossRequest {
  return {
    session_id: "S",
    custom_loss_seq_id: 0,
    name: "loss",
    inputs: [{ name: "logprobs", rank: 1 }],
    graph: { nodes: [{ op: "call_function", name: "n", target: "torch.clamp", args, kwargs }] },
  };
}

function argsText(value: GraphValue): string {
  const { body } = encodeJsonRequest("CreateCustomLossRequest", request([value]), { generation: "0.38" });
  return /"args":\[(.*)\],"kwargs"/.exec(decoder.decode(body))?.[1] ?? "";
}

describe("the graph of a custom loss", () => {
  it.each<[string, GraphValue, string]>([
    ["a float without fraction", { float: 1 }, "1.0"],
    ["an integer", 1, "1"],
    ["minus zero", -0, "-0.0"],
    ["a small float", 1e-12, "1e-12"],
    ["a large float", { float: 1e21 }, "1e+21"],
    ["a large integral number", 1e21, "1000000000000000000000"],
    ["a long integer", 9007199254740993n, "9007199254740993"],
    ["minus infinity", { float: Number.NEGATIVE_INFINITY }, '{"float":"-inf"}'],
    ["infinity as a word", { float: "inf" }, '{"float":"inf"}'],
    ["NaN", { float: Number.NaN }, '{"float":"nan"}'],
    ["a fraction", 0.8, "0.8"],
  ])("newest-wire 28: %s is written %s", (_, value, expected) => {
    expect(argsText(value)).toBe(expected);
  });

  it.each<[string, GraphValue]>([
    ["a reference", { ref: "exp" }],
    ["null", null],
    ["a boolean", true],
    ["a text", "x"],
    ["a list", [1, { ref: "a" }]],
    ["a tuple", { tuple: [{ ellipsis: true }, { slice: [1, null, { ref: "n" }] }] }],
    ["a map", { dict: { "custom/nll:sum": { ref: "neg" } } }],
    ["a dtype", { dtype: "float32" }],
    ["a device", { device: "cuda:0" }],
    ["a layout", { layout: "strided" }],
    ["a memory format", { memory_format: "preserve_format" }],
    ["a marked float", { float: 2 }],
    ["a word for a float", { float: "nan" }],
  ])("newest-wire 29: %s is sent and read back", (_, value) => {
    const { body } = encodeJsonRequest("CreateCustomLossRequest", request([value]), { generation: "0.38" });
    const node = decodeJsonRequest("CreateCustomLossRequest", body).graph.nodes[0];
    expect(node?.args).toEqual([value]);
  });

  it("newest-wire 29: nulls among named arguments are kept", () => {
    const { body } = encodeJsonRequest("CreateCustomLossRequest", request([], { min: null }), {
      generation: "0.38",
    });
    expect(decoder.decode(body)).toContain('"args":[],"kwargs":{"min":null}');
  });

  it.each<[string, Partial<CreateCustomLossRequest>, string]>([
    [
      "17 parameters",
      {
        inputs: Array.from({ length: 17 }, (_, i) => ({
          name: i === 0 ? "logprobs" : `p${i}`,
          rank: 1 as const,
        })),
      },
      "inputs",
    ],
    ["another first parameter", { inputs: [{ name: "weights", rank: 1 }] }, "must begin with logprobs"],
    ["rank 0 for logprobs", { inputs: [{ name: "logprobs", rank: 0 }] }, "must begin with logprobs"],
    ["rank 3", { inputs: [{ name: "logprobs", rank: 3 as 2 }] }, "inputs[0].rank"],
    [
      "an upper-case name",
      {
        inputs: [
          { name: "logprobs", rank: 1 },
          { name: "W", rank: 1 },
        ],
      },
      "inputs[1].name",
    ],
  ])("newest-wire 30: %s", (_, change, message) => {
    const record = { ...request([]), ...change };
    expect(() => encodeJsonRequest("CreateCustomLossRequest", record, { generation: "0.38" })).toThrow(
      message,
    );
  });
});
