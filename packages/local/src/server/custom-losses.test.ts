import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PassRequest, PassResult } from "../engine/engine.js";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

interface TorchCase {
  readonly name: string;
  readonly request: string;
  readonly inputs: readonly {
    readonly dtype: string;
    readonly shape: readonly number[];
    readonly data: readonly number[];
  }[];
  readonly loss: number;
  readonly gradient: readonly number[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Losses of one datum that the official SDK traced, and what torch gave for them. */
const TORCH_CASES: readonly TorchCase[] = JSON.parse(
  readFileSync(
    new URL("../../../tensor/src/loss-graph/testing/fixtures/torch-reference.json", import.meta.url),
    "utf8",
  ),
);

/** Every case is a few requests; the arithmetic has its own tests of all, so that a part is enough here but in a long run. */
const STRIDE = process.env.TINKEX_LOSS_CASES === "all" ? 1 : 6;

/** An engine whose model gives the log-probabilities that a test sets, and which keeps the weights it is given. */
class KnownLogprobs extends ScriptedEngine {
  logprobs: readonly (readonly number[])[] = [];
  weights: number[][] = [];

  override async pass(request: PassRequest): Promise<PassResult> {
    await super.pass(request);
    if (!request.forwardOnly) {
      this.weights = request.data.map(({ lossInputs }) => Array.from(lossInputs.weights ?? []));
    }
    return { logprobs: this.logprobs.map((each) => Float32Array.from(each)), lossSum: Number.NaN };
  }
}

async function open() {
  const engine = new KnownLogprobs();
  const server = await TestServer.start({ engine });
  const session = await server.createSession();
  const model = await server.createModel(session);
  /** Uploads the body of a request as it was recorded, with floats and integers told apart. */
  const upload = (request: string, number: number) =>
    server.run(
      "/create_custom_loss",
      request
        .replace('"session_id":"S"', `"session_id":"${session}"`)
        .replace('"custom_loss_seq_id":0', `"custom_loss_seq_id":${number}`),
    );
  return { engine, server, session, model, upload };
}

const NLL = JSON.stringify({
  session_id: "S",
  custom_loss_seq_id: 0,
  name: "nll",
  inputs: [
    { name: "logprobs", rank: 1 },
    { name: "weights", rank: 1 },
  ],
  graph: {
    format: 1,
    nodes: [
      ...["logprobs", "weights"].map((name) => ({
        op: "placeholder",
        name,
        target: name,
        args: [],
        kwargs: {},
      })),
      {
        op: "call_function",
        name: "mul",
        target: "operator.mul",
        args: [{ ref: "weights" }, { ref: "logprobs" }],
        kwargs: {},
      },
      { op: "call_method", name: "sum", target: "sum", args: [{ ref: "mul" }], kwargs: {} },
      { op: "call_method", name: "neg", target: "neg", args: [{ ref: "sum" }], kwargs: {} },
      { op: "call_method", name: "mean", target: "mean", args: [{ ref: "logprobs" }], kwargs: {} },
      {
        op: "output",
        name: "output",
        target: "output",
        args: [
          {
            tuple: [
              { ref: "neg" },
              { dict: { "custom/n:sum": { ref: "sum" }, "custom/lp:mean": { ref: "mean" } } },
            ],
          },
        ],
        kwargs: {},
      },
    ],
  },
});

const tensor = (data: readonly number[], dtype = "float32", shape = [data.length]) => ({
  data,
  dtype,
  shape,
});

function datum(targets: readonly number[], weights: readonly number[]) {
  return {
    model_input: { chunks: [{ tokens: targets }] },
    loss_fn_inputs: { target_tokens: tensor(targets, "int64"), weights: tensor(weights) },
  };
}

const pass = (model: string, seqId: number, data: readonly object[], lossId: unknown) => ({
  forward_backward_input: { data, loss_fn: "custom", loss_fn_config: { loss_id: lossId } },
  model_id: model,
  seq_id: seqId,
});

describe("losses that are graphs, run by the server", () => {
  it("give torch's loss, metrics and gradient", async () => {
    const { engine, server, model, upload } = await open();
    const sendable = TORCH_CASES.filter(
      ({ inputs, loss, gradient }) =>
        inputs.every(({ dtype, data }) => dtype !== "bool" && data.every(Number.isFinite)) &&
        [loss, ...gradient].every(Number.isFinite),
    );
    expect(sendable.length).toBeGreaterThan(150);
    const cases = sendable.filter((_, index) => index % STRIDE === 0);
    for (const [index, { name, request, inputs, loss, gradient, metrics }] of cases.entries()) {
      const { loss_id } = await upload(request, index);
      const [own, ...others] = inputs;
      const shape = own?.shape ?? [];
      engine.logprobs = [own?.data ?? []];
      const names: readonly { readonly name: string }[] = JSON.parse(request).inputs;
      const data = {
        model_input: { chunks: [{ tokens: Array.from({ length: shape[0] ?? 0 }, () => 1) }] },
        loss_fn_inputs: {
          target_tokens: { data: (own?.data ?? []).map(() => 1), dtype: "int64", shape },
          ...Object.fromEntries(others.map((input, place) => [names[place + 1]?.name, input])),
        },
      };
      const answer = await server.run("/forward_backward", pass(model, index + 1, [data], loss_id));
      const got = answer.metrics as Readonly<Record<string, number>>;
      expect(Object.keys(got).sort(), name).toEqual([...Object.keys(metrics), "loss:sum"].sort());
      const [weights = []] = engine.weights;
      const wanted = [
        ...Object.entries({ ...metrics, "loss:sum": loss }),
        ...gradient.map((slope) => ["", -slope] as const),
      ];
      const found = [...Object.keys({ ...metrics, "loss:sum": loss }).map((key) => got[key]), ...weights];
      expect(found, name).toHaveLength(wanted.length);
      const faults = wanted.filter(
        ([, value], place) =>
          !(Math.abs((found[place] ?? Number.NaN) - value) <= 1e-5 * Math.max(1, Math.abs(value))),
      );
      expect(faults, name).toEqual([]);
    }
  });

  it("sum over the datums of a request, and average what a metric says is a mean", async () => {
    const { engine, server, session, model, upload } = await open();
    const created = await upload(NLL, 0);
    expect(created).toEqual({ loss_id: `${session}:loss:0`, type: "create_custom_loss" });
    engine.logprobs = [[-0.5, -2], [-1]];
    const data = [datum([1, 2], [1, 0.5]), datum([3], [2])];
    const answer = await server.run("/forward_backward", pass(model, 1, data, created.loss_id));
    expect(answer.metrics).toEqual({ "loss:sum": 3.5, "custom/n:sum": -3.5, "custom/lp:mean": -1.125 });
    expect(engine.weights).toEqual([[1, 0.5], [2]]);
    expect(answer.loss_fn_outputs).toMatchObject([
      { logprobs: { data: [-0.5, -2] } },
      { logprobs: { data: [-1] } },
    ]);
    // Only the loss is asked for: nothing is carried back.
    engine.weights = [];
    const { forward_backward_input: forward_input, ...rest } = pass(model, 2, data, created.loss_id);
    const forward = await server.run("/forward", { ...rest, forward_input });
    expect(forward.metrics).toEqual(answer.metrics);
    expect(engine.weights).toEqual([]);
  });

  it("tell 2.0 from 2, since torch has a mean of floats and none of integers", async () => {
    const { engine, server, model, upload } = await open();
    const call = (name: string, target: string, args: readonly unknown[], op = "call_method") => ({
      op,
      name,
      target,
      args,
      kwargs: {},
    });
    const nodes = [
      ...["logprobs", "ints"].map((name) => call(name, name, [], "placeholder")),
      call("mul", "operator.mul", ["LITERAL", { ref: "ints" }], "call_function"),
      call("scale", "mean", [{ ref: "mul" }]),
      call("lp", "mean", [{ ref: "logprobs" }]),
      call("loss", "operator.mul", [{ ref: "scale" }, { ref: "lp" }], "call_function"),
      call("output", "output", [{ tuple: [{ ref: "loss" }, { dict: {} }] }], "output"),
    ];
    const inputsOf = ["logprobs", "ints"].map((name) => ({ name, rank: 1 }));
    const record = {
      session_id: "S",
      custom_loss_seq_id: 0,
      name: "twice",
      inputs: inputsOf,
      graph: { nodes },
    };
    const twice = (literal: string) => JSON.stringify(record).replace('"LITERAL"', literal);
    engine.logprobs = [[-1, -3]];
    const inputs = { target_tokens: tensor([1, 2], "int64"), ints: tensor([3, 4], "int64") };
    const data = [{ ...datum([1, 2], [1, 1]), loss_fn_inputs: inputs }];
    const floats = await upload(twice("2.0"), 0);
    const answer = await server.run("/forward_backward", pass(model, 1, data, floats.loss_id));
    expect(answer.metrics).toMatchObject({ "loss:sum": -14 });
    const integers = await upload(twice("2"), 1);
    expect(await server.run("/forward_backward", pass(model, 2, data, integers.loss_id))).toMatchObject({
      category: "user",
      error: expect.stringContaining('node "scale" (.mean)'),
    });
  });

  it("are refused with the node at fault, and leave the order of the model as it was", async () => {
    const { engine, server, model, upload } = await open();
    const unknown = await upload(NLL.replace('"target":"neg"', '"target":"negate"'), 0);
    expect(unknown).toMatchObject({
      category: "user",
      error: expect.stringContaining(
        'create_custom_loss: loss "nll": node "neg" (.negate): unknown operation',
      ),
    });
    expect(
      await server.run("/forward_backward", pass(model, 1, [datum([1], [1])], "S:loss:0")),
    ).toMatchObject({
      category: "user",
      error: expect.stringContaining(
        "loss_fn_config.loss_id must be one that create_custom_loss gave in session",
      ),
    });
    engine.logprobs = [[-1]];
    const { loss_id } = await upload(NLL, 1);
    const missing = { ...datum([1], [1]), loss_fn_inputs: { target_tokens: tensor([1], "int64") } };
    expect(await server.run("/forward_backward", pass(model, 2, [missing], loss_id))).toMatchObject({
      category: "user",
      error: expect.stringContaining('data[0].loss_fn_inputs.weights is missing, which the loss "nll" reads'),
    });
    expect(await server.run("/forward_backward", passBody(model, 3))).toHaveProperty("metrics");
  });

  it("are refused where a datum would take the memory of the server, and keep nobody waiting", async () => {
    const { engine, server, model, upload } = await open();
    const node = (name: string, target: string, args: readonly unknown[], op = "call_method") => ({
      op,
      name,
      target,
      args,
      kwargs: {},
    });
    const row = (name: string) => ({ ref: name });
    const matrices = Array.from({ length: 128 }, (_, index) =>
      node(`m${index + 1}`, "neg", [row(`m${index}`)]),
    );
    const nodes = [
      node("logprobs", "logprobs", [], "placeholder"),
      node("across", "unsqueeze", [row("logprobs"), 0]),
      node("down", "unsqueeze", [row("logprobs"), 1]),
      node("pairs", "operator.mul", [row("across"), row("down")], "call_function"),
      node("outer", "unsqueeze", [row("pairs"), 2]),
      node("outermost", "unsqueeze", [row("outer"), 3]),
      node("m0", "operator.mul", [row("outermost"), row("pairs")], "call_function"),
      ...matrices,
      node("loss", "sum", [row("m128")]),
      node("output", "output", [{ tuple: [row("loss"), { dict: {} }] }], "output"),
    ];
    const inputs = [{ name: "logprobs", rank: 1 }];
    const record = { session_id: "S", custom_loss_seq_id: 0, name: "pairs", inputs, graph: { nodes } };
    const { loss_id } = await upload(JSON.stringify(record), 0);
    const send = (length: number, seqId: number) => {
      const targets = Array.from({ length }, () => 1);
      engine.logprobs = [targets.map(() => -1)];
      const inputsOf = { target_tokens: tensor(targets, "int64") };
      const long = { model_input: { chunks: [{ tokens: targets }] }, loss_fn_inputs: inputsOf };
      return server.run("/forward_backward", pass(model, seqId, [long], loss_id));
    };
    expect((await send(2, 1)).metrics).toEqual({ "loss:sum": 16 });
    expect(await send(32, 2)).toMatchObject({
      category: "user",
      error: expect.stringMatching(
        /data\[0\]: loss "pairs": the loss must have at most 134217728 numbers in all its values, got 13526\d{4}; send shorter/,
      ),
    });
  });

  it("belong to the session that created them, and end with it", async () => {
    const { server, session, upload } = await open();
    const { loss_id } = await upload(NLL, 0);
    // The same request again is the same loss.
    expect(await upload(NLL, 0)).toEqual({ loss_id, type: "create_custom_loss" });
    const other = await server.createModel();
    const foreign = await server.run("/forward_backward", pass(other, 1, [datum([1], [1])], loss_id));
    expect(foreign).toMatchObject({
      category: "user",
      error: expect.stringContaining("loss_fn_config.loss_id"),
    });
    await server.post(`/sessions/${session}/finish`, { reason: { type: "success" } });
    expect(server.running.state.losses.countOf(session)).toBe(0);
    expect((await server.post("/create_custom_loss", NLL.replace('"S"', `"${session}"`))).status).toBe(400);
  });

  it("are bounded: a body of more than a graph ever has is refused", async () => {
    const { server, session } = await open();
    const answer = await server.post(
      "/create_custom_loss",
      NLL.replace('"S"', `"${session}"`).replace("nll", "n".repeat(5 * 2 ** 20)),
    );
    expect(answer.status).toBe(413);
  });
});
