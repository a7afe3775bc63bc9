import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@tinkex/base";
import { encodeForwardBackwardRequest } from "@tinkex/wire";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

describe("models", () => {
  it("creates a model under the official form of id, and describes it", async () => {
    const server = await TestServer.start();
    const session = await server.createSession();
    const modelId = await server.createModel(session, 3, {
      lora_config: { rank: 8, seed: 7, train_unembed: null },
    });
    expect(modelId).toBe(`${session}:train:3`);
    expect(server.engine.calls).toEqual([`create ${modelId} rank 8 seed 7`]);
    expect(await server.post("/get_info", { model_id: modelId, type: "get_info" })).toEqual({
      status: 200,
      body: {
        type: "get_info",
        model_data: { arch: "one", model_name: "test/one", tokenizer_id: "/models/one" },
        model_id: modelId,
        is_lora: true,
        lora_rank: 8,
        model_name: "test/one",
        optimizer_config: { type: "adamw" },
      },
    });
  });

  it("keeps no adapter of a model whose run cannot be recorded", async () => {
    const dataDirectory = temporaryDirectory();
    const server = await TestServer.start({ dataDirectory });
    const session_id = await server.createSession();
    await writeFile(join(dataDirectory, "runs", encodeURIComponent(`${session_id}:train:0`)), "not a folder");
    const body = { session_id, model_seq_id: 0, base_model: "test/one", lora_config: { rank: 4 } };
    expect(await server.run("/create_model", body)).toMatchObject({ category: "server" });
    expect(server.engine.adapterIds).toEqual([]);
  });

  it("recognises a resent creation, and refuses another under its number", async () => {
    const server = await TestServer.start();
    const body = {
      session_id: await server.createSession(),
      model_seq_id: 0,
      base_model: "test/one",
      lora_config: { rank: 4 },
    };
    const first = await server.submit("/create_model", body);
    expect(await server.submit("/create_model", { ...body, type: "create_model", user_metadata: null })).toBe(
      first,
    );
    expect(await server.post("/create_model", { ...body, lora_config: { rank: 5 } })).toMatchObject({
      status: 409,
    });
    expect(server.engine.calls).toHaveLength(1);
  });

  it("fails the future of a model that cannot be, and all that is asked of it", async () => {
    const server = await TestServer.start();
    const session_id = await server.createSession();
    const failure = await server.run("/create_model", {
      session_id,
      model_seq_id: 0,
      base_model: "other",
      lora_config: { rank: 4 },
    });
    expect(failure).toEqual({
      error: expect.stringContaining(
        'base_model must be one that this server has (test/one), got "other"; started with standIn (--stand-in)',
      ),
      category: "user",
    });
    expect(await server.run("/optim_step", { model_id: `${session_id}:train:0`, seq_id: 1 })).toEqual({
      error: `model ${session_id}:train:0 was not created: ${failure.error}`,
      category: "user",
    });
    expect(await server.post("/get_info", { model_id: `${session_id}:train:0` })).toMatchObject({
      status: 404,
    });
  });

  it("says when session or model are not known", async () => {
    const server = await TestServer.start();
    expect(
      await server.post("/create_model", { session_id: "s", model_seq_id: 0, base_model: "test/one" }),
    ).toMatchObject({ status: 404 });
    for (const path of ["/optim_step", "/save_weights_for_sampler", "/get_info", "/unload_model"]) {
      const answer = await server.post(path, {
        model_id: "s:train:0",
        seq_id: 1,
        sampling_session_seq_id: 0,
      });
      expect(answer, path).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining("no model s:train:0") },
      });
    }
  });

  it("unloads a model behind what was asked before, and fails what comes after", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    const step = await server.submit("/optim_step", { model_id: modelId, seq_id: 1 });
    expect(await server.run("/unload_model", { model_id: modelId })).toMatchObject({ model_id: modelId });
    expect(await server.retrieve(step)).toMatchObject({ metrics: {} });
    expect(await server.run("/optim_step", { model_id: modelId, seq_id: 2 })).toMatchObject({
      category: "user",
    });
    expect(server.engine.adapterIds).toEqual([]);
  });
});

describe("training", () => {
  it("endpoints 3: takes the bodies of the 0.4 generation and answers in JSON", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    expect(await server.run("/forward_backward", passBody(modelId, 1))).toEqual({
      loss_fn_output_type: "TorchLossReturn",
      loss_fn_outputs: [{ logprobs: { data: [-1, -1, -1], dtype: "float32", shape: [3] } }],
      metrics: { "loss:sum": 3 },
    });
    const step = await server.run("/optim_step", {
      adam_params: { learning_rate: 0.125 },
      model_id: modelId,
      seq_id: 2,
    });
    expect(step).toEqual({ metrics: { "grad_norm:mean": 3, "step:max": 1 } });
    const { forward_backward_input: forward_input, ...rest } = passBody(modelId, 3) as Record<
      string,
      unknown
    >;
    expect(await server.run("/forward", { ...rest, forward_input })).toMatchObject({
      metrics: { "loss:sum": 1.875 },
    });
    expect(server.engine.calls.slice(1)).toEqual([
      "forward_backward cross_entropy 1",
      "optim_step 0.125",
      "forward cross_entropy 1",
    ]);
  });

  it("takes protobuf, and answers in protobuf where that is asked for", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    const data = [
      {
        model_input: { chunks: [{ tokens: [1, 2] }] },
        loss_fn_inputs: { target_tokens: { data: [2, 3], dtype: "int64" as const } },
      },
    ];
    const { body, contentType } = encodeForwardBackwardRequest(
      {
        forward_backward_input: { data, loss_fn: "cross_entropy" },
        model_id: modelId,
        seq_id: 1,
        forward_only: true,
      },
      { wire: "protobuf", generation: "0.25" },
    );
    const response = await server.fetch("POST", "/forward_backward", {
      body,
      headers: { "content-type": contentType },
    });
    const { request_id } = (await response.json()) as { request_id: string };
    const poll = (accept: string) =>
      server.fetch("POST", "/retrieve_future", {
        body: JSON.stringify({ request_id, allow_metadata_only: true }),
        headers: { "content-type": "application/json", accept },
      });
    expect((await poll("application/x-protobuf")).headers.get("content-type")).toBe("application/x-protobuf");
    expect((await poll("application/x-protobuf, application/json")).headers.get("content-type")).toBe(
      "application/x-protobuf",
    );
    expect(await (await poll("application/json")).json()).toMatchObject({ metrics: { "loss:sum": 2 } });
    expect(server.engine.calls.at(-1)).toBe("forward cross_entropy 1");
  });

  it("answers 422 to bytes that are no request", async () => {
    const server = await TestServer.start();
    const response = await server.fetch("POST", "/forward_backward", {
      body: Uint8Array.of(0x1a, 0x7f, 1),
      headers: { "content-type": "application/x-protobuf" },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({ detail: expect.stringContaining("ForwardBackwardRequest") });
  });

  it("endpoints 8: runs chunks that arrive 2, 3, 1 in the order 1, 2, 3", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    const late = await Promise.all(
      [2, 3].map((seq) => server.submit("/forward_backward", passBody(modelId, seq, Array(seq).fill(1)))),
    );
    const step = await server.submit("/optim_step", {
      model_id: modelId,
      seq_id: 4,
      adam_params: { learning_rate: 1 },
    });
    expect(server.engine.calls).toHaveLength(1);
    const first = await server.submit("/forward_backward", passBody(modelId, 1, [1]));
    const losses = await Promise.all([first, ...late].map((id) => server.retrieve(id)));
    expect(losses.map(({ metrics }) => metrics)).toEqual([
      { "loss:sum": 1 },
      { "loss:sum": 2 },
      { "loss:sum": 3 },
    ]);
    expect(await server.retrieve(step)).toMatchObject({ metrics: { "grad_norm:mean": 6 } });
    expect(server.engine.calls.at(-1)).toBe("optim_step 1");
  });

  it("endpoints 9: runs a resent request once, also after it was answered", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    const body = { adam_params: { learning_rate: 1 }, model_id: modelId, seq_id: 1 };
    const ids = await Promise.all([0, 1, 2].map(() => server.submit("/optim_step", body)));
    expect(new Set(ids).size).toBe(1);
    await server.retrieve(ids[0] ?? "");
    const again = {
      type: "optim_step",
      seq_id: 1,
      model_id: modelId,
      adam_params: { learning_rate: 1, beta1: null },
    };
    expect(await server.submit("/optim_step", again)).toBe(ids[0]);
    expect(server.engine.calls.filter((call) => call.startsWith("optim"))).toHaveLength(1);
    const other = { ...body, adam_params: { learning_rate: 2 } };
    expect(await server.post("/optim_step", other)).toMatchObject({ status: 409 });
    expect(await server.post("/forward_backward", passBody(modelId, 1))).toMatchObject({ status: 409 });
  });

  it("gives operations without a number their turn after all before them", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    await server.run("/forward_backward", passBody(modelId, undefined));
    await server.run("/optim_step", { model_id: modelId });
    expect(await server.run("/optim_step", { model_id: modelId, seq_id: 3 })).toMatchObject({
      metrics: { "step:max": 2 },
    });
  });

  it("trains on samples of older weights by stable_reinforce, and says once what it computes", async () => {
    const log: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void log.push(message) };
    const server = await TestServer.start({ logger });
    const modelId = await server.createModel();
    const data = [
      {
        model_input: { chunks: [{ tokens: [1, 2] }] },
        loss_fn_inputs: {
          target_tokens: { data: [2, 3], dtype: "int64" as const },
          logprobs: { data: [0, -1], dtype: "float32" as const },
          advantages: { data: [0, 1], dtype: "float32" as const },
        },
        model_input_spans: [{ type: "prompt_tokens" as const, sequence_id: "s:0", offset: 0, length: 2 }],
        loss_fn_input_spans: [
          { type: "prompt_tokens" as const, sequence_id: "s:0", offset: 1, length: 1 },
          { type: "sampled_tokens" as const, sequence_id: "s:0", offset: 0, length: 1 },
        ],
      },
    ];
    for (const sequenceId of [1, 2]) {
      const { body, contentType } = encodeForwardBackwardRequest(
        {
          forward_backward_input: { data, loss_fn: "stable_reinforce", loss_fn_config: { kl_coeff: 0.1 } },
          model_id: modelId,
          seq_id: sequenceId,
        },
        { wire: "protobuf", generation: "0.38" },
      );
      const headers = { "content-type": contentType };
      const response = await server.fetch("POST", "/forward_backward", { body, headers });
      const { request_id } = (await response.json()) as { request_id: string };
      expect(await server.retrieve(request_id)).toMatchObject({ loss_fn_outputs: [{}] });
    }
    expect(log).toEqual([expect.stringContaining("has not published its formula of stable_reinforce")]);
  });

  it("a request that fails takes its place in the order, and those behind it run", async () => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    expect(await server.run("/forward_backward", passBody(modelId, 1, [1, 200]))).toEqual({
      error: "data[0].model_input.chunks[0].tokens[1] must be a token id from 0 to 99, got 200",
      category: "user",
    });
    const unknown = passBody(modelId, 2) as { forward_backward_input: object };
    const renamed = {
      ...unknown,
      forward_backward_input: { ...unknown.forward_backward_input, loss_fn: "orpo" },
    };
    expect(await server.run("/forward_backward", renamed)).toMatchObject({
      error: expect.stringContaining(
        "(cross_entropy, importance_sampling, ppo, cispo, dro, gspo, stable_reinforce and custom), got",
      ),
      category: "user",
    });
    const empty = {
      forward_backward_input: { data: [], loss_fn: "cross_entropy" },
      model_id: modelId,
      seq_id: 3,
    };
    expect(await server.run("/forward_backward", empty)).toMatchObject({ category: "user" });
    const dimuon = { model_id: modelId, seq_id: 4, optimizer_params: { type: "dimuon", learning_rate: 1 } };
    expect(await server.run("/optim_step", dimuon)).toMatchObject({
      category: "user",
      error: expect.stringContaining("whose formula the service has not published; give adam_params"),
    });
    expect(await server.run("/optim_step", { model_id: modelId, seq_id: 5 })).toMatchObject({
      metrics: { "step:max": 1 },
    });
  });

  it.each([
    ["/optim_step", { adam_params: { learning_rate: "x" } }, 422],
    ["/forward_backward", {}, 422],
    ["/forward", { forward_input: { data: [], loss_fn: 1 } }, 422],
    ["/save_weights", {}, 422],
    ["/save_weights_for_sampler", {}, 422],
    ["/load_weights", { path: 1 }, 422],
    ["/save_weights_external", { path: 1 }, 422],
    ["/an_operation_of_later_days", { path: "e" }, 404],
    ["/optim_step_of_tomorrow", {}, 404],
    ["/load_weights", { path: "tinker://x/weights/y", seq_id: 2 }, 400],
  ])("goes on behind a refused %s %j", async (path, fault, status) => {
    const server = await TestServer.start();
    const modelId = await server.createModel();
    const seqId = "seq_id" in fault ? fault.seq_id : 1;
    const later = await server.submit("/optim_step", { model_id: modelId, seq_id: seqId + 1 });
    if (seqId === 2) await server.run("/optim_step", { model_id: modelId, seq_id: 1 });
    const refused = { model_id: modelId, seq_id: seqId, ...fault };
    expect(await server.post(path, refused)).toMatchObject({ status });
    expect(await server.retrieve(later)).toMatchObject({ metrics: {} });
    expect(await server.post(path, refused)).toMatchObject({ status });
  });

  it("waits for a missing number as long as it may, and says then which it was", async () => {
    const server = await TestServer.start({ limits: { gapTimeoutMs: 50 } });
    const modelId = await server.createModel();
    expect(await server.run("/optim_step", { model_id: modelId, seq_id: 2 })).toEqual({
      error: expect.stringContaining(`sequence id 1 of ${modelId} did not arrive`),
      category: "server",
    });
    expect(await server.run("/optim_step", { model_id: modelId, seq_id: 3 })).toMatchObject({ metrics: {} });
  });
});
