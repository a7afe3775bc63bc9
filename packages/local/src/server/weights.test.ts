import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

/** A model trained by one step, with 1 more request number used up than `lastSeq` says. */
async function trainedModel(server: TestServer): Promise<string> {
  const modelId = await server.createModel(undefined, 0, { user_metadata: { renderer: "plain" } });
  await server.run("/forward_backward", passBody(modelId, 1));
  await server.run("/optim_step", { model_id: modelId, seq_id: 2, adam_params: { learning_rate: 0.125 } });
  return modelId;
}

async function lossOf(server: TestServer, modelId: string, seqId: number): Promise<unknown> {
  const { forward_backward_input: forward_input, ...rest } = passBody(modelId, seqId) as Record<
    string,
    unknown
  >;
  return (await server.run("/forward", { ...rest, forward_input })).metrics;
}

describe("checkpoints", () => {
  it("saves, describes and lists; endpoints 29: ids in the official forms", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    expect(
      await server.run("/save_weights", {
        model_id: run,
        path: "step-1",
        seq_id: 3,
        user_metadata: { k: "v" },
      }),
    ).toEqual({
      path: `tinker://${run}/weights/step-1`,
      type: "save_weights",
    });
    expect(
      await server.run("/save_weights_for_sampler", {
        model_id: run,
        path: "s",
        seq_id: 4,
        kind: "snapshot",
      }),
    ).toEqual({
      path: `tinker://${run}/sampler_weights/s`,
      type: "save_weights_for_sampler",
    });
    const training = {
      checkpoint_id: "weights/step-1",
      checkpoint_type: "training",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      tinker_path: `tinker://${run}/weights/step-1`,
      size_bytes: expect.any(Number),
      public: false,
      user_metadata: { k: "v" },
    };
    const sampler = {
      checkpoint_id: "sampler_weights/s",
      checkpoint_type: "sampler",
      tinker_path: `tinker://${run}/sampler_weights/s`,
    };
    const { body } = await server.get(`/training_runs/${run}`);
    expect(body).toMatchObject({
      training_run_id: run,
      base_model: "test/one",
      is_lora: true,
      lora_rank: 4,
      corrupted: false,
      model_owner: "local",
      last_checkpoint: training,
      last_sampler_checkpoint: sampler,
      user_metadata: { renderer: "plain" },
    });
    expect((await server.get(`/training_runs/${run}/checkpoints`)).body.checkpoints).toHaveLength(2);
    expect((await server.get("/checkpoints?limit=1")).body).toMatchObject({
      checkpoints: [{}],
      cursor: { total_count: 2, limit: 1 },
    });
    expect(await server.post("/weights_info", { tinker_path: training.tinker_path })).toEqual({
      status: 200,
      body: {
        base_model: "test/one",
        is_lora: true,
        lora_rank: 4,
        train_attn: true,
        train_mlp: true,
        train_unembed: true,
        optimizer_config: { type: "adamw" },
      },
    });
  });

  it("endpoints 16: pages through training runs", async () => {
    const server = await TestServer.start();
    const session = await server.createSession();
    for (const number of [0, 1, 2]) await server.createModel(session, number);
    const page = async (query: string) => {
      const { body } = await server.get(`/training_runs${query}`);
      const runs = body.training_runs as { training_run_id: string }[];
      return [runs.length, body.cursor];
    };
    expect(await page("")).toEqual([3, { offset: 0, limit: 20, total_count: 3 }]);
    expect(await page("?limit=2&offset=2&access_scope=owned")).toEqual([
      1,
      { offset: 2, limit: 2, total_count: 3 },
    ]);
    expect(await page("?limit=0")).toEqual([0, { offset: 0, limit: 0, total_count: 3 }]);
    expect(await page("?offset=9")).toEqual([0, { offset: 9, limit: 20, total_count: 3 }]);
    for (const limit of ["x", "-1", "1.5", "1001"]) {
      expect(await server.get(`/training_runs?limit=${limit}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["query", "limit"], msg: "must be a whole number from 0 to 1000" }] },
      });
    }
    expect(await server.get("/training_runs/none")).toMatchObject({ status: 404 });
    expect(await server.get("/training_runs/..%2f..")).toMatchObject({ status: 404 });
  });

  it("endpoints 14: refuses a second save of a name, keeps the first, and goes on behind it", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    const save = (seq_id: number, more = {}) => ({ model_id: run, path: "x", seq_id, ...more });
    const detail = `Checkpoint 'x' already exists for model ${run} in weights. Please choose a different name to avoid overwriting.`;
    const first = await server.submit("/save_weights", save(3));
    await server.retrieve(first);
    expect(await server.submit("/save_weights", save(3))).toBe(first);
    expect(await server.post("/save_weights", save(4))).toEqual({ status: 409, body: { detail } });
    expect(await server.run("/save_weights", save(4))).toEqual({ error: detail, category: "user" });
    expect(await server.run("/save_weights", save(5, { overwrite: true }))).toMatchObject({
      path: `tinker://${run}/weights/x`,
    });
    expect(await server.run("/save_weights", save(6, { path: "../y" }))).toMatchObject({ category: "user" });
    expect(await server.run("/save_weights", save(7, { path: "z", ttl_seconds: -1 }))).toMatchObject({
      category: "user",
    });
    const open = server.engine.hold();
    const [one, two] = await Promise.all(
      [8, 9].map((seq) => server.submit("/save_weights", save(seq, { path: "twice" }))),
    );
    open();
    expect(await server.retrieve(one ?? "")).toMatchObject({ path: `tinker://${run}/weights/twice` });
    expect(await server.retrieve(two ?? "")).toMatchObject({ category: "user" });
    const sampler = { model_id: run, path: "x" };
    await server.run("/save_weights_for_sampler", { ...sampler, seq_id: 10 });
    expect(await server.post("/save_weights_for_sampler", { ...sampler, seq_id: 11 })).toMatchObject({
      status: 409,
    });
  });

  it("takes names as long as they may be, over HTTP too", async () => {
    const server = await TestServer.start();
    const run = await server.createModel();
    const path = "x".repeat(255);
    await server.run("/save_weights", { model_id: run, path, seq_id: 1 });
    const answer = await server.fetch("DELETE", `/training_runs/${run}/checkpoints/weights/${path}`);
    expect(answer.status).toBe(204);
    expect(await server.get(`/training_runs/${run}/checkpoints`)).toEqual({
      status: 200,
      body: { checkpoints: [] },
    });
    expect(await server.get("/training_runs/none/checkpoints")).toMatchObject({ status: 404 });
  });

  it("tells administrators what checkpoints take, that nothing costs anything, and that no log is kept", async () => {
    const server = await TestServer.start();
    const storage = async () => (await server.get("/billing/usage/checkpoints/current")).body;
    expect(await storage()).toEqual({ effective_rate_usd_per_gigabyte_month: 0, data: [] });
    const model_id = await server.createModel();
    await server.run("/save_weights", { model_id, path: "a", seq_id: 1 });
    await server.run("/save_weights", { model_id, path: "b", seq_id: 2 });
    const listed = (await server.get("/checkpoints")).body.checkpoints as { size_bytes: number }[];
    const sizeBytes = listed.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    expect(await storage()).toMatchObject({
      data: [{ checkpoint_count: 2, size_bytes: sizeBytes, size_gigabytes: sizeBytes / 1e9 }],
    });
    expect((await server.get("/billing/usage/events")).body).toEqual({ data: [], sessions: {} });
    expect((await server.get("/audit")).body).toEqual({ entries: [] });
  });

  it("deletes a checkpoint", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    await server.run("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    const path = `/training_runs/${run}/checkpoints/weights/x`;
    expect((await server.fetch("DELETE", path)).status).toBe(204);
    expect((await server.fetch("DELETE", path)).status).toBe(404);
    expect((await server.fetch("DELETE", path.replace("weights", "other"))).status).toBe(400);
    expect(await server.post("/weights_info", { tinker_path: `tinker://${run}/weights/x` })).toMatchObject({
      status: 404,
    });
    expect(await server.post("/weights_info", { tinker_path: "weights/x" })).toMatchObject({ status: 400 });
  });

  it("a restarted server knows the checkpoints, and says that it forgot the rest", async () => {
    const dataDirectory = temporaryDirectory();
    const first = await TestServer.start({ dataDirectory });
    const run = await trainedModel(first);
    const saved = await first.submit("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    await first.retrieve(saved);
    await first.running.close();
    const second = await TestServer.start({ dataDirectory });
    expect(await second.post("/retrieve_future", { request_id: saved })).toMatchObject({ status: 404 });
    expect(await second.post("/save_weights", { model_id: run, path: "y", seq_id: 4 })).toMatchObject({
      status: 404,
    });
    expect((await second.get("/training_runs")).body).toMatchObject({
      training_runs: [{ training_run_id: run }],
    });
    const session_id = await second.createSession();
    const body = { session_id, model_seq_id: 0, path: `tinker://${run}/weights/x`, optimizer: true };
    expect(await second.run("/load_weights", body)).toMatchObject({ model_id: `${session_id}:train:0` });
    expect(await lossOf(second, `${session_id}:train:0`, 1)).toEqual({ "loss:sum": 1.875 });
  });
});

describe("load_weights", () => {
  it("endpoints 13: makes a model from a checkpoint, and its next number is 1", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    const { path } = await server.run("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    const [session_id = ""] = run.split(":");
    const body = {
      session_id,
      model_seq_id: 1,
      path,
      optimizer: false,
      user_metadata: { from: "x" },
      type: "load_weights",
    };
    const first = await server.submit("/load_weights", body);
    expect(await server.submit("/load_weights", body)).toBe(first);
    const model = `${session_id}:train:1`;
    expect(await server.retrieve(first)).toEqual({ path, model_id: model, type: "load_weights" });
    expect(await server.post("/get_info", { model_id: model })).toMatchObject({
      status: 200,
      body: { lora_rank: 4 },
    });
    expect(await server.run("/optim_step", { model_id: model, seq_id: 1 })).toMatchObject({
      metrics: { "step:max": 1 },
    });
    const withOptimizer = { ...body, model_seq_id: 2, optimizer: true };
    await server.run("/load_weights", withOptimizer);
    expect(await server.run("/optim_step", { model_id: `${session_id}:train:2`, seq_id: 1 })).toMatchObject({
      metrics: { "step:max": 2 },
    });
  });

  it("endpoints 13: fills a model as its first request only", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    const { path } = await server.run("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    const model = await server.createModel();
    expect(await server.run("/load_weights", { model_id: model, seq_id: 1, path })).toMatchObject({ path });
    // The 0.4 generation cannot say whether it wants the optimizer too, and means the whole state.
    expect(server.engine.calls.at(-1)).toBe(`load ${model} optimizer true`);
    expect(await lossOf(server, model, 2)).toEqual({ "loss:sum": 1.875 });
    expect(await server.post("/load_weights", { model_id: model, seq_id: 3, path })).toEqual({
      status: 400,
      body: { detail: "LoadWeights is not permitted with seq_id 3" },
    });
    // The refused request has used its number up: what follows does not wait for it.
    expect(await server.run("/optim_step", { model_id: model, seq_id: 4 })).toMatchObject({ metrics: {} });
  });

  it.each([
    [
      "an unknown checkpoint",
      (run: string) => ({ path: `tinker://${run}/weights/none` }),
      "there is no checkpoint",
    ],
    [
      "another kind",
      (run: string) => ({ path: `tinker://${run}/sampler_weights/s` }),
      "must be a checkpoint of the kind weights, got sampler_weights",
    ],
    ["text that is no path", () => ({ path: "weights/x" }), "is not a checkpoint path"],
    [
      "another base model",
      (run: string) => ({ path: `tinker://${run}/weights/x`, base_model: "other" }),
      'base_model must be "test/one", on which',
    ],
    [
      "another optimizer",
      (run: string) => ({ path: `tinker://${run}/weights/x`, optimizer_config: { type: "dimuon" } }),
      '"dimuon"',
    ],
  ])("endpoints 13: fails the future for %s", async (_, wish, message) => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    await server.run("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    await server.run("/save_weights_for_sampler", { model_id: run, path: "s", seq_id: 4 });
    const body = { session_id: run.split(":")[0], model_seq_id: 1, optimizer: false, ...wish(run) };
    expect(await server.run("/load_weights", body)).toEqual({
      error: expect.stringContaining(message),
      category: "user",
    });
  });

  it("fails the future where the checkpoint does not fit the model", async () => {
    const server = await TestServer.start();
    const run = await trainedModel(server);
    const { path } = await server.run("/save_weights", { model_id: run, path: "x", seq_id: 3 });
    const model = await server.createModel(undefined, 0, { lora_config: { rank: 8, train_mlp: false } });
    expect(await server.run("/load_weights", { model_id: model, seq_id: 1, path })).toEqual({
      error:
        `"${path}" does not fit model ${model}: it holds rank 4 on attention + MLP + unembedding of test/one, ` +
        "and the model is rank 8 on attention + unembedding of test/one",
      category: "user",
    });
  });

  it("needs a model, or a place for one", async () => {
    const server = await TestServer.start();
    expect(await server.post("/load_weights", { path: "tinker://r/weights/x" })).toMatchObject({
      status: 422,
    });
  });
});
