import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

describe("sessions", () => {
  it("takes heartbeats, and keeps a session without them", async () => {
    const server = await TestServer.start();
    const session_id = await server.createSession();
    expect(await server.post("/session_heartbeat", { session_id, type: "session_heartbeat" })).toEqual({
      status: 200,
      body: { type: "session_heartbeat" },
    });
    expect(await server.post("/session_heartbeat", { session_id: "none" })).toMatchObject({ status: 404 });
  });

  it("finish ends the session's work and gives its memory back", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    const [session_id = ""] = model.split(":");
    await server.run("/save_weights", { model_id: model, path: "kept", seq_id: 1 });
    const { sampling_session_id } = await server.run("/save_weights_for_sampler", {
      model_id: model,
      sampling_session_seq_id: 0,
      seq_id: 2,
    });
    const stuck = await server.submit("/optim_step", { model_id: model, seq_id: 4 });
    const finish = () =>
      server.fetch("POST", `/sessions/${session_id}/finish`, {
        body: JSON.stringify({ reason: { type: "success" }, detail: null }),
        headers: { "content-type": "application/json" },
      });
    expect((await finish()).status).toBe(204);
    expect((await finish()).status).toBe(204);
    expect(await server.retrieve(stuck)).toEqual({
      error: expect.stringContaining("its session was finished"),
      category: "user",
    });
    expect(server.engine.adapterIds).toEqual([]);
    expect(await server.post("/session_heartbeat", { session_id })).toMatchObject({ status: 410 });
    expect(await server.post("/forward_backward", passBody(model, 3))).toMatchObject({ status: 400 });
    expect(await server.post("/asample", { prompt: { chunks: [] }, sampling_session_id })).toMatchObject({
      status: 404,
    });
    expect(
      await server.post("/create_model", { session_id, model_seq_id: 1, base_model: "test/one" }),
    ).toMatchObject({ status: 400 });
    expect((await server.get("/checkpoints")).body.checkpoints).toHaveLength(1);
  });

  it("finish waits for the operation that runs", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    const open = server.engine.hold();
    const step = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const finishing = server.post(`/sessions/${model.split(":")[0]}/finish`, {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.engine.adapterIds).toEqual([model]);
    open();
    expect(await finishing).toMatchObject({ status: 204 });
    expect(await server.retrieve(step)).toMatchObject({ metrics: {} });
    expect(server.engine.adapterIds).toEqual([]);
  });

  it("clients 81: are listed newest first, with what each has made and what its client said of it", async () => {
    const server = await TestServer.start();
    const first = await server.createSession();
    const description = { display_name: "second", user_metadata: { team: "a", seed: 3 } };
    const { body } = await server.post("/create_session", {
      ...description,
      tags: [],
      sdk_version: "0.38.0",
    });
    const { session_id: second } = body as { readonly session_id: string };
    expect(await server.get("/sessions")).toEqual({ status: 200, body: { sessions: [second, first] } });
    expect(await server.get("/sessions?limit=1&offset=1")).toMatchObject({ body: { sessions: [first] } });
    const model = await server.createModel();
    const [session_id = ""] = model.split(":");
    const made = { session_id, sampling_session_seq_id: 0, base_model: server.baseModel };
    const { body: sampler } = await server.post("/create_sampling_session", made);
    const { sampling_session_id } = sampler as { readonly sampling_session_id: string };
    expect(await server.get(`/sessions/${session_id}`)).toMatchObject({
      body: { training_run_ids: [model], sampler_ids: [sampling_session_id] },
    });
    expect(await server.get(`/sessions/${second}`)).toEqual({
      status: 200,
      body: {
        training_run_ids: [],
        sampler_ids: [],
        display_name: "second",
        user_metadata: { team: "a", seed: "3" },
      },
    });
    const { body: opened } = await server.post("/create_session", { display_name: "x".repeat(20_000) });
    const { session_id: talkative } = opened as { readonly session_id: string };
    // Too long to be kept as long as the server runs.
    expect(await server.get(`/sessions/${talkative}`)).toEqual({
      status: 200,
      body: { training_run_ids: [], sampler_ids: [] },
    });
    expect(await server.get("/sessions/none")).toMatchObject({ status: 404 });
    expect(await server.get("/sessions?limit=x")).toMatchObject({ status: 422 });
  });
});
