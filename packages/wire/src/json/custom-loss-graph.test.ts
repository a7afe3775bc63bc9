import { ValidationError } from "@tinkex/base";
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
    ["infinity that is not marked", Number.POSITIVE_INFINITY, '{"float":"inf"}'],
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
    ["a map with a name that is also a kind", { dict: { float: 2, ref: { dict: { float: 3 } } } }],
    ["a marked float", { float: 2 }],
    ["a word for a float", { float: "nan" }],
  ])("newest-wire 29: %s is sent and read back", (_, value) => {
    const { body } = encodeJsonRequest("CreateCustomLossRequest", request([value]), { generation: "0.38" });
    const node = decodeJsonRequest("CreateCustomLossRequest", body).graph.nodes[0];
    expect(node?.args).toEqual([value]);
  });

  it("newest-wire 29: an argument may be named as a kind of value is", () => {
    const named = request([], { float: { float: 2 }, dict: 1, ref: null });
    const { body } = encodeJsonRequest("CreateCustomLossRequest", named, { generation: "0.38" });
    expect(decoder.decode(body)).toContain('"kwargs":{"float":2.0,"dict":1,"ref":null}');
    expect(decodeJsonRequest("CreateCustomLossRequest", body).graph.nodes[0]?.kwargs).toEqual(
      named.graph.nodes[0]?.kwargs,
    );
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
    [
      "a name twice",
      {
        inputs: [
          { name: "logprobs", rank: 1 },
          { name: "w", rank: 1 },
          { name: "w", rank: 0 },
        ],
      },
      'inputs[2]: "w" is there twice',
    ],
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

  it.each<[string, GraphValue, string]>([
    [
      "a misspelt kind",
      [{ tuple: [{ reff: "x" } as never] }],
      'tuple[0]: unknown name "reff", did you mean "ref"?',
    ],
    ["two kinds at once", { ref: "x", dtype: "y" } as never, "an object must have one field, got ref, dtype"],
    ["a value of a wrong type", { slice: [1, 2] } as never, "slice: must be a list of 3"],
    ["a function", (() => 1) as never, "must be null, a boolean, a string, a number, a list or an object"],
  ])("names the place of %s", (_, value, message) => {
    expect(() => argsText(value)).toThrow("graph.nodes[0].args[0]");
    expect(() => argsText(value)).toThrow(message);
  });

  it("finds a fault forty levels deep at once", () => {
    let value: GraphValue = { reff: "x" } as never;
    for (let level = 0; level < 40; level++) value = [value];
    expect(() => argsText(value)).toThrow('unknown name "reff"');
  });

  it("refuses a graph that refers to itself", () => {
    const list: GraphValue[] = [];
    list.push(list);
    expect(() => argsText(list)).toThrow(ValidationError);
  });
});
