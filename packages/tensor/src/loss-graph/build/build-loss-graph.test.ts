import { ValidationError } from "@tinkex/base";
import { encodeJsonRequest } from "@tinkex/wire";
import { describe, expect, it } from "vitest";
import type { LossGraph } from "../loss-graph.js";
import { graphOf, TORCH_CASES } from "../testing/torch-reference.js";
import { lossGraph } from "./build-loss-graph.js";
import type { LossTensor } from "./loss-tensor.js";

/** The text of the nodes as they are uploaded. */
function nodesText({ name, inputs, graph }: LossGraph): string {
  const record = { session_id: "S", custom_loss_seq_id: 0, name, inputs, graph };
  const { body } = encodeJsonRequest("CreateCustomLossRequest", record, { generation: "0.38" });
  return /"graph":(.*),"type"/.exec(new TextDecoder().decode(body))?.[1] ?? "";
}

/** The nodes between placeholders and output, of a loss that sums `y` up. */
function nodesOf(build: (x: LossTensor, w: LossTensor) => LossTensor): unknown[] {
  const graph = lossGraph("test", { logprobs: 2, w: 2 }, ({ logprobs, w }) => ({
    loss: build(logprobs, w).add(w).sum(),
  }));
  return graph.graph.nodes.slice(2, -3).map(({ op, target, args, kwargs }) => [op, target, args, kwargs]);
}

const x = { ref: "logprobs" };
const w = { ref: "w" };

describe("lossGraph", () => {
  it("newest-wire 28: builds the weighted negative log-likelihood as the official tracer does", () => {
    const graph = lossGraph("token_nll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }, { method }) => {
      const loss = method("neg", [weights.mul(logprobs).sum()]);
      return { loss, metrics: { "custom/nll:sum": loss, "custom/lp:mean": logprobs.mean() } };
    });
    expect(graph.inputs).toEqual([
      { name: "logprobs", rank: 1 },
      { name: "weights", rank: 1 },
    ]);
    expect(nodesText(graph)).toBe(
      '{"format":1,"nodes":[{"op":"placeholder","name":"logprobs","target":"logprobs","args":[],"kwargs":{}},' +
        '{"op":"placeholder","name":"weights","target":"weights","args":[],"kwargs":{}},' +
        '{"op":"call_function","name":"mul","target":"operator.mul","args":[{"ref":"weights"},{"ref":"logprobs"}],"kwargs":{}},' +
        '{"op":"call_method","name":"sum_1","target":"sum","args":[{"ref":"mul"}],"kwargs":{}},' +
        '{"op":"call_method","name":"neg","target":"neg","args":[{"ref":"sum_1"}],"kwargs":{}},' +
        '{"op":"call_method","name":"mean","target":"mean","args":[{"ref":"logprobs"}],"kwargs":{}},' +
        '{"op":"output","name":"output","target":"output","args":[{"tuple":[{"ref":"neg"},' +
        '{"dict":{"custom/nll:sum":{"ref":"neg"},"custom/lp:mean":{"ref":"mean"}}}]}],"kwargs":{}}]}',
    );
  });

  it("newest-wire 28: builds the clipped ratio as the official tracer does", () => {
    const graph = lossGraph(
      "clipped ratio",
      { logprobs: 1, sampled: 1, advantages: 1 },
      ({ logprobs, sampled, advantages }, { call }) => {
        const ratio = logprobs.sub(sampled).exp();
        const clipped = call("torch.clamp", [ratio, 0.8, 1.2]);
        const gain = ratio.mul(advantages).minimum(clipped.mul(advantages));
        const metrics = {
          "custom/ratio:mean": () => ratio.mean(),
          "custom/n:sum": () => ratio.onesLike().sum(),
        };
        // In the order of the recorded program: the loss first.
        const loss = gain.sum().neg();
        return {
          loss,
          metrics: {
            "custom/ratio:mean": metrics["custom/ratio:mean"](),
            "custom/n:sum": metrics["custom/n:sum"](),
          },
        };
      },
    );
    const traced = TORCH_CASES.find(({ name }) => name === "clipped ratio");
    expect(graph.graph).toEqual(traced && graphOf(traced).graph);
  });

  it("newest-wire 28, 29: builds every kind of argument as the recorded upload has it", () => {
    const graph = lossGraph(
      "kitchen",
      { logprobs: 1, advantages: 1, scale: 0 },
      ({ logprobs, advantages, scale }, { where, stack }) => {
        const bounds = { min: { float: -20 }, max: Number.POSITIVE_INFINITY };
        const ratio = logprobs.clamp(bounds).exp().at({ from: 1 }, "...").to("float32");
        const sum = ratio.mul(advantages.at({ from: 0, to: 1 })).add(scale);
        const kept = where(sum.gt(0.5), sum, sum.zerosLike({ dtype: "float32" }));
        const loss = stack([kept.sum(), kept.mean({ dim: [0] }).sum()])
          .sum()
          .div(2);
        return { loss, metrics: { "custom/x-max:sum": sum.max() } };
      },
    );
    expect(nodesText(graph)).toBe(
      '{"format":1,"nodes":[{"op":"placeholder","name":"logprobs","target":"logprobs","args":[],"kwargs":{}},{"op":"placeholder","name":"advantages","target":"advantages","args":[],"kwargs":{}},{"op":"placeholder","name":"scale","target":"scale","args":[],"kwargs":{}},{"op":"call_function","name":"clamp","target":"torch.clamp","args":[{"ref":"logprobs"}],"kwargs":{"min":-20.0,"max":{"float":"inf"}}},{"op":"call_function","name":"exp","target":"torch.exp","args":[{"ref":"clamp"}],"kwargs":{}},{"op":"call_function","name":"getitem","target":"operator.getitem","args":[{"ref":"exp"},{"tuple":[{"slice":[1,null,null]},{"ellipsis":true}]}],"kwargs":{}},{"op":"call_method","name":"to","target":"to","args":[{"ref":"getitem"},{"dtype":"float32"}],"kwargs":{}},{"op":"call_function","name":"getitem_1","target":"operator.getitem","args":[{"ref":"advantages"},{"slice":[0,1,null]}],"kwargs":{}},{"op":"call_function","name":"mul","target":"operator.mul","args":[{"ref":"to"},{"ref":"getitem_1"}],"kwargs":{}},{"op":"call_function","name":"add","target":"operator.add","args":[{"ref":"mul"},{"ref":"scale"}],"kwargs":{}},{"op":"call_function","name":"gt","target":"operator.gt","args":[{"ref":"add"},0.5],"kwargs":{}},{"op":"call_function","name":"zeros_like","target":"torch.zeros_like","args":[{"ref":"add"}],"kwargs":{"dtype":{"dtype":"float32"}}},{"op":"call_function","name":"where","target":"torch.where","args":[{"ref":"gt"},{"ref":"add"},{"ref":"zeros_like"}],"kwargs":{}},{"op":"call_method","name":"sum_1","target":"sum","args":[{"ref":"where"}],"kwargs":{}},{"op":"call_method","name":"mean","target":"mean","args":[{"ref":"where"}],"kwargs":{"dim":{"tuple":[0]}}},{"op":"call_method","name":"sum_2","target":"sum","args":[{"ref":"mean"}],"kwargs":{}},{"op":"call_function","name":"stack","target":"torch.stack","args":[[{"ref":"sum_1"},{"ref":"sum_2"}]],"kwargs":{}},{"op":"call_method","name":"sum_3","target":"sum","args":[{"ref":"stack"}],"kwargs":{}},{"op":"call_function","name":"truediv","target":"operator.truediv","args":[{"ref":"sum_3"},2],"kwargs":{}},{"op":"call_method","name":"max_1","target":"max","args":[{"ref":"add"}],"kwargs":{}},{"op":"output","name":"output","target":"output","args":[{"tuple":[{"ref":"truediv"},{"dict":{"custom/x-max:sum":{"ref":"max_1"}}}]}],"kwargs":{}}]}',
    );
  });

  it("names nodes as torch.fx does, which numbers what is taken or a word of Python", () => {
    const graph = lossGraph("names", { logprobs: 1, input: 1, mul: 1, x_1: 1 }, (inputs, { call }) => {
      const { logprobs, input, mul } = inputs;
      const product = call("torch.round", [logprobs.mul(input).mul(mul).pow(2).abs()]).add(inputs.x_1);
      return { loss: call("torch.sum", [call("torch.pow", [product, 2])]) };
    });
    expect(graph.graph.nodes.map(({ name }) => name)).toEqual([
      ...["logprobs", "input_1", "mul", "x_1"],
      ...["mul_1", "mul_2", "pow_1", "abs_1", "round_1", "add", "pow_2", "sum_1", "output"],
    ]);
  });

  it.each<[string, (x: LossTensor, w: LossTensor) => LossTensor, unknown[]]>([
    [
      "softplus",
      (x) => x.softplus(),
      [
        ["call_function", "torch.zeros_like", [x], {}],
        ["call_function", "torch.logaddexp", [x, { ref: "zeros_like" }], {}],
      ],
    ],
    [
      "maskedFill",
      (x, w) => x.maskedFill(w.gt(0), -1.5),
      [
        ["call_function", "operator.gt", [w, 0], {}],
        ["call_method", "masked_fill", [x, { ref: "gt" }, -1.5], {}],
      ],
    ],
    [
      "an index of parts",
      (x) => x.at(0, null, "...", { to: -1, step: 2 }),
      [
        [
          "call_function",
          "operator.getitem",
          [x, { tuple: [0, null, { ellipsis: true }, { slice: [null, -1, 2] }] }],
          {},
        ],
      ],
    ],
    ["a place", (x) => x.at(-1), [["call_function", "operator.getitem", [x, -1], {}]]],
    [
      "dimensions",
      (x) => x.sum({ dim: -1, keepdim: true }),
      [["call_method", "sum", [x], { dim: -1, keepdim: true }]],
    ],
    [
      "the largest along one dimension",
      (x) => x.max({ dim: 1, keepdim: true }),
      [["call_method", "amax", [x], { dim: 1, keepdim: true }]],
    ],
    ["the smallest of all", (x) => x.min(), [["call_method", "min", [x], {}]]],
    ["softmax", (x) => x.softmax(-1), [["call_function", "torch.softmax", [x], { dim: -1 }]]],
    [
      "logsumexp",
      (x) => x.logsumexp({ dim: 1, keepdim: true }),
      [["call_function", "torch.logsumexp", [x], { dim: 1, keepdim: true }]],
    ],
    ["flip", (x) => x.flip(0, 1), [["call_method", "flip", [x, { tuple: [0, 1] }], {}]]],
    [
      "fullLike",
      (x) => x.fullLike({ float: 2 }, { dtype: "float32" }).mul(x),
      [
        ["call_function", "torch.full_like", [x, { float: 2 }], { dtype: { dtype: "float32" } }],
        ["call_function", "operator.mul", [{ ref: "full_like" }, x], {}],
      ],
    ],
    [
      "an integer beyond 2^53",
      (x) => x.add(9007199254740993n),
      [["call_function", "operator.add", [x, 9007199254740993n], {}]],
    ],
  ])("writes %s with the arguments of torch", (_, build, nodes) => {
    expect(nodesOf(build)).toEqual(nodes);
  });

  it("keeps a dimension of max where it is asked to", () => {
    expect(nodesOf((x) => x.max({ keepdim: true }))).toEqual([
      ["call_method", "amax", [x], { keepdim: true }],
    ]);
  });

  it("knows the inputs by the names of their ranks, and is finished once it is built", () => {
    let late: LossTensor | undefined;
    const graph = lossGraph("typed", { logprobs: 1, weights: 1 }, (inputs) => {
      // @ts-expect-error: there is no such input.
      expect(inputs.weigths).toBeUndefined();
      late = inputs.weights;
      return { loss: inputs.logprobs.mul(inputs.weights).sum() };
    });
    const before = graph.graph.nodes.length;
    late?.add(1);
    expect(graph.graph.nodes).toHaveLength(before);
  });

  it("gives a plain record, which a copy and JSON keep", () => {
    const graph = lossGraph("plain", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum().neg() }));
    expect(structuredClone(graph)).toEqual(graph);
    expect(JSON.parse(JSON.stringify(graph))).toEqual(graph);
  });

  it.each<[string, () => unknown, string]>([
    [
      "no name",
      () => lossGraph("", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum() })),
      "lossGraph: name must be a string that is not empty",
    ],
    [
      "no function",
      () => lossGraph("a", { logprobs: 1 }, undefined as never),
      'lossGraph: loss "a": build must be a function, got undefined',
    ],
    [
      "no ranks",
      () => lossGraph("a", undefined as never, () => undefined as never),
      'lossGraph: loss "a": ranks must be an object',
    ],
    [
      "a result that is none",
      () => lossGraph("a", { logprobs: 1 }, () => undefined as never),
      'lossGraph: loss "a": the function\'s result must be an object',
    ],
    [
      "a loss that is a number",
      () => lossGraph("a", { logprobs: 1 }, () => ({ loss: 1 as never })),
      'lossGraph: loss "a": the loss must be a value of the graph, got a number',
    ],
    [
      "a metric that is a number",
      () =>
        lossGraph("a", { logprobs: 1 }, ({ logprobs }) => ({
          loss: logprobs.sum(),
          metrics: { "custom/a:sum": 1 as never },
        })),
      'the metric "custom/a:sum" must be the result of a node, not a constant',
    ],
    [
      "a value of another graph",
      () => {
        let other: LossTensor | undefined;
        lossGraph("a", { logprobs: 1 }, ({ logprobs }) => {
          other = logprobs;
          return { loss: logprobs.sum() };
        });
        return lossGraph("b", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.add(other ?? 0).sum() }));
      },
      'lossGraph: loss "b": an argument of operator.add belongs to another graph; use the values of this one',
    ],
    [
      "an option of a reduction that is none, as Python's positional dim",
      () => lossGraph("a", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum(0 as never) })),
      "the options of a reduction must be an object",
    ],
    [
      "a misspelt option",
      () => lossGraph("a", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum({ dims: 0 } as never) })),
      'the options of a reduction: unknown field "dims", did you mean "dim"?',
    ],
    [
      "a misspelt range",
      () =>
        lossGraph("a", { logprobs: 1 }, ({ logprobs }) => ({
          loss: logprobs.at({ frmo: 1 } as never).sum(),
        })),
      'a range of at: unknown field "frmo"',
    ],
    [
      "a list in itself",
      () => {
        const list: unknown[] = [];
        list.push(list);
        return lossGraph("a", { logprobs: 1 }, (_, { call }) => ({ loss: call("torch.exp", [list]) }));
      },
      'lossGraph: loss "a": an argument of torch.exp is nested too deep, or in itself',
    ],
    [
      "an argument that no graph can hold",
      () =>
        lossGraph("a", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.add((() => 1) as never).sum() })),
      "graph.nodes[1].args[1]: must be null, a boolean, a string, a number, a list or an object, got a function",
    ],
  ])("refuses %s", (_, build, message) => {
    expect(build).toThrow(ValidationError);
    expect(build).toThrow(message);
  });
});
