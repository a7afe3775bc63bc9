import { describe, expect, it } from "vitest";
import { datum, datums, readPass, seqIdOf } from "../testing/examples.js";
import { openService } from "../testing/open-service.js";

/** A service of the 0.4 generation: no configuration, JSON only. */
async function openLegacy() {
  const open = await openService();
  open.stub.on("client/config", () => ({ status: 404, body: { detail: "Not Found" } }));
  const usual = open.stub.usual("retrieve_future");
  open.stub.on("retrieve_future", (request) =>
    usual({ ...request, headers: { ...request.headers, accept: "application/json" } }),
  );
  return open;
}

describe("a server of the 0.4 generation", () => {
  it("gets JSON with its own fields, a path of its own for forward passes, and no end of session", async () => {
    const { stub, service } = await openLegacy();
    const training = await service.createLoraTrainingClient({ base_model: "b", rank: 4 });
    await training.forwardBackward([datum(3)], "cross_entropy");
    const scored = await training.forward([datum(3)], "cross_entropy");
    await training.optimStep({ learning_rate: 1e-4 });
    await training.saveState("ck");
    const sampler = await training.saveWeightsAndGetSamplingClient();
    await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 2 } });
    await service.close();
    expect(scored.loss_fn_outputs[0]?.logprobs?.data).toEqual(Float32Array.of(-3, -4));
    expect(stub.trace).toEqual([
      "client/config",
      "create_session",
      "create_model",
      "get_info",
      "forward_backward",
      "forward",
      "optim_step",
      "save_weights",
      "save_weights_for_sampler",
      "asample",
      // Nothing else frees the model there.
      "unload_model",
    ]);
    expect(stub.seen("forward")[0]?.json).toEqual({
      forward_input: {
        data: [
          {
            model_input: { chunks: [{ tokens: [3, 3] }] },
            loss_fn_inputs: {
              target_tokens: { data: [3, 4], dtype: "int64", shape: [2] },
              weights: { data: [0, 1], dtype: "float32", shape: [2] },
            },
          },
        ],
        loss_fn: "cross_entropy",
      },
      model_id: "S:train:0",
      seq_id: 2,
    });
    expect(stub.seen("optim_step")[0]?.json).toEqual({
      adam_params: { learning_rate: 1e-4 },
      model_id: "S:train:0",
      seq_id: 3,
    });
    expect(stub.seen("retrieve_future")[0]?.json).toEqual({ request_id: "r1" });
    expect(stub.seen("asample")[0]?.json).toEqual({
      num_samples: 1,
      prompt: { chunks: [{ tokens: [1] }] },
      sampling_params: { max_tokens: 2 },
      sampling_session_id: "S:sample:0",
      seq_id: 0,
      prompt_logprobs: false,
      topk_prompt_logprobs: 0,
    });
  });

  it("clients 31: gets a call's data in its own chunks, one after another", async () => {
    const { stub, service } = await openLegacy();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const output = await training.forwardBackward(datums(129), "cross_entropy");
    expect(
      stub
        .seen("forward_backward")
        .map((request) => [seqIdOf(request), readPass(request).forward_backward_input.data.length]),
    ).toEqual([
      [1, 128],
      [2, 1],
    ]);
    expect(output.loss_fn_outputs).toHaveLength(129);
  });
});

describe("a server that understands one encoding only", () => {
  it.each([
    ["404", { status: 404, body: { detail: "Not Found" } }],
    ["415", { status: 415, body: { detail: "Unsupported Media Type" } }],
    ["500", { status: 500, body: "Internal Server Error" }],
  ])("gets the same request as JSON, once, after it answered protobuf with %s", async (_name, refusal) => {
    const { stub, service } = await openService();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", (request) =>
      request.headers["content-type"] === "application/x-protobuf" ? refusal : usual(request),
    );
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    await training.forwardBackward([datum(1)], "cross_entropy");
    await training.forwardBackward([datum(2)], "cross_entropy");
    expect(
      stub.seen("forward_backward").map((request) => [request.headers["content-type"], seqIdOf(request)]),
    ).toEqual([
      ["application/x-protobuf", 1],
      ["application/json", 1],
      ["application/json", 2],
    ]);
  });

  it("is told nothing else when the caller has fixed JSON", async () => {
    const { stub, service } = await openService({ wire: "json" });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    await training.forward([datum(1)], "cross_entropy");
    expect(stub.seen("forward")[0]?.headers["content-type"]).toBe("application/json");
    // The fields are those of the server's generation, whatever the encoding.
    expect(stub.seen("forward")[0]?.json).toMatchObject({
      forward_input: { data: [{ model_input: { chunks: [{ tokens: [1, 1], type: "encoded_text" }] } }] },
    });
  });
});
