import { silentLogger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

const prompt = { chunks: [{ tokens: [1, 2, 3], type: "encoded_text" }] };

async function baseSampler(server: TestServer, sessionId?: string): Promise<string> {
  const session_id = sessionId ?? (await server.createSession());
  const body = { session_id, sampling_session_seq_id: 0, base_model: "test/one", model_path: null };
  return String((await server.post("/create_sampling_session", body)).body.sampling_session_id);
}

describe("sampling", () => {
  it("endpoints 26–28: samples from the base model", async () => {
    const server = await TestServer.start();
    const session = await server.createSession();
    const sampler = await baseSampler(server, session);
    expect(sampler).toBe(`${session}:sample:0`);
    expect(await server.get(`/samplers/${sampler}`)).toEqual({
      status: 200,
      body: { sampler_id: sampler, base_model: "test/one" },
    });
    const submitted = await server.post("/asample", {
      prompt,
      sampling_params: { max_tokens: 2, seed: 40 },
      num_samples: 2,
      sampling_session_id: sampler,
      seq_id: 0,
      prompt_logprobs: true,
      topk_prompt_logprobs: 2,
    });
    expect(submitted.body.sample_sequence_ids).toEqual([`${sampler}:0:0`, `${sampler}:0:1`]);
    expect(await server.retrieve(String(submitted.body.request_id))).toEqual({
      sequences: [
        { stop_reason: "length", tokens: [40, 41], logprobs: [-1, -1] },
        { stop_reason: "length", tokens: [41, 42], logprobs: [-1, -1] },
      ],
      prompt_logprobs: [null, -1, -2],
      topk_prompt_logprobs: [
        null,
        [
          [2, -2],
          [3, -3],
        ],
        [
          [4, -4],
          [5, -5],
        ],
      ],
      prompt_cache_hit_tokens: 0,
      type: "sample",
    });
  });

  it("endpoints 10: tells numbers beyond 2^53 apart, and recognises a resend", async () => {
    const server = await TestServer.start();
    const sampler = await baseSampler(server);
    const body = (seq: string) =>
      `{"prompt":{"chunks":[{"tokens":[1]}]},"sampling_params":{"max_tokens":1},"sampling_session_id":"${sampler}","seq_id":${seq}}`;
    const first = await server.submit("/asample", body("1000000000000000000"));
    expect(await server.submit("/asample", body("1000000000000000001"))).not.toBe(first);
    expect(await server.submit("/asample", body("1000000000000000000"))).toBe(first);
    expect(server.engine.calls).toHaveLength(2);
    const other = body("1000000000000000000").replace("[1]", "[2]");
    expect(await server.post("/asample", other)).toMatchObject({ status: 409 });
  });

  it("samples from a copy of the weights, which later training does not change", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    const [session = ""] = model.split(":");
    await server.run("/forward_backward", passBody(model, 1));
    const saved = await server.submit("/save_weights_for_sampler", {
      model_id: model,
      sampling_session_seq_id: 5,
      seq_id: 2,
    });
    await server.run("/optim_step", { model_id: model, seq_id: 3, adam_params: { learning_rate: 1 } });
    const answer = await server.retrieve(saved);
    expect(answer).toEqual({ sampling_session_id: `${session}:sample:5`, type: "save_weights_for_sampler" });
    const sample = {
      prompt,
      sampling_params: { max_tokens: 1 },
      sampling_session_id: answer.sampling_session_id,
      seq_id: 0,
    };
    expect(await server.run("/asample", sample)).toMatchObject({ sequences: [{ logprobs: [-1] }] });
    const later = { model_id: model, sampling_session_seq_id: 6, seq_id: 4 };
    const { sampling_session_id } = await server.run("/save_weights_for_sampler", later);
    expect(await server.run("/asample", { ...sample, sampling_session_id })).toMatchObject({
      sequences: [{ logprobs: [2] }],
    });
  });

  it("samples from a saved checkpoint, under a session or named directly", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    const [session_id = ""] = model.split(":");
    await server.run("/forward_backward", passBody(model, 1));
    await server.run("/optim_step", { model_id: model, seq_id: 2, adam_params: { learning_rate: 1 } });
    const { path } = await server.run("/save_weights_for_sampler", { model_id: model, path: "s", seq_id: 3 });
    const opened = await server.post("/create_sampling_session", {
      session_id,
      sampling_session_seq_id: 0,
      model_path: path,
    });
    const { sampling_session_id } = opened.body;
    expect(await server.get(`/samplers/${sampling_session_id}`)).toMatchObject({
      body: { base_model: "test/one", model_path: path },
    });
    const sample = { prompt, sampling_params: { max_tokens: 1 } };
    const expected = { sequences: [{ logprobs: [2] }] };
    expect(await server.run("/asample", { ...sample, sampling_session_id, seq_id: 0 })).toMatchObject(
      expected,
    );
    expect(await server.run("/asample", { ...sample, model_path: path })).toMatchObject(expected);
    expect(await server.run("/asample", { ...sample, base_model: "test/one" })).toMatchObject({
      sequences: [{ logprobs: [-1] }],
    });
    expect(server.engine.adapterIds).toEqual([sampling_session_id, model].sort());
  });

  it("refuses what cannot be sampled from", async () => {
    const server = await TestServer.start();
    const session_id = await server.createSession();
    const create = (rest: object) =>
      server.post("/create_sampling_session", { session_id, sampling_session_seq_id: 0, ...rest });
    expect(await create({})).toMatchObject({ status: 400 });
    expect(await create({ base_model: "other" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("test/one") },
    });
    expect(await create({ model_path: "tinker://r/weights/none" })).toMatchObject({ status: 404 });
    expect(await create({ model_path: "none" })).toMatchObject({ status: 400 });
    expect(await create({ base_model: "test/one" })).toMatchObject({ status: 200 });
    expect(await create({ base_model: "test/one" })).toMatchObject({ status: 200 });
    expect(await create({ base_model: "test/one", model_path: "tinker://r/weights/none" })).toMatchObject({
      status: 409,
    });
    const sample = { prompt, sampling_params: {} };
    expect(await server.post("/asample", sample)).toMatchObject({ status: 400 });
    expect(await server.post("/asample", { ...sample, sampling_session_id: "none" })).toMatchObject({
      status: 404,
    });
    expect(await server.get("/samplers/none")).toMatchObject({ status: 404 });
  });

  it("fails the future of a sample that asks for something impossible", async () => {
    const server = await TestServer.start();
    const sampling_session_id = await baseSampler(server);
    const failure = await server.run("/asample", {
      prompt,
      sampling_params: { max_tokens: -1 },
      sampling_session_id,
      seq_id: 0,
    });
    expect(failure).toEqual({
      error: "sampling_params.max_tokens must be a whole number from 1, got -1",
      category: "user",
    });
  });

  it("asks for a name or a number when weights are saved for sampling", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    expect(await server.post("/save_weights_for_sampler", { model_id: model, seq_id: 1 })).toMatchObject({
      status: 422,
    });
    const unknownKind = { model_id: model, seq_id: 2, sampling_session_seq_id: 0, kind: "live" };
    expect(await server.run("/save_weights_for_sampler", unknownKind)).toMatchObject({ category: "user" });
  });
});

describe("one poll for many samples", () => {
  it("hears of each sample of a sampler once it has finished or failed, and each is fetched by itself", async () => {
    const server = await TestServer.start();
    expect((await server.post("/client/config", { sdk_version: "0.38.0" })).body).toMatchObject({
      sample_use_retrieve_futures: true,
    });
    const sampler = await baseSampler(server);
    const target = { type: "sampling_session", sampling_session_id: sampler, cloned_sampler_id: 0 };
    const poll = (more: object) => server.post("/retrieve_futures", { target, ...more });
    expect(await poll({ timeout: 0 })).toEqual({ status: 200, body: { completions: [], cursor: 0 } });
    const ask = (seq_id: number, max_tokens: number) =>
      server.submit("/asample", {
        prompt,
        sampling_params: { max_tokens },
        sampling_session_id: sampler,
        seq_id,
      });
    const held = poll({ prev_cursor: 0 });
    const good = await ask(0, 2);
    expect((await held).body).toEqual({ completions: [{ request_id: good, state: "finished" }], cursor: 1 });
    const bad = await ask(1, 1_000);
    expect((await poll({ prev_cursor: 1, retrieved_request_ids: [good] })).body).toEqual({
      completions: [{ request_id: bad, state: "failed" }],
      cursor: 2,
    });
    expect(await server.retrieve(bad)).toMatchObject({ category: "user" });
    // A sample sent again is the same one, and is told once.
    expect(await ask(1, 1_000)).toBe(bad);
    const ofClone = await ask(1_000_000_000, 2);
    expect((await poll({ prev_cursor: 2, timeout: 0 })).body).toEqual({ completions: [], cursor: 2 });
    const cloned = { target: { ...target, cloned_sampler_id: 1 }, prev_cursor: 0 };
    expect((await server.post("/retrieve_futures", cloned)).body).toMatchObject({
      completions: [{ request_id: ofClone }],
    });
  });

  it("is refused for a sampler that is not there", async () => {
    const server = await TestServer.start();
    const target = { type: "sampling_session", sampling_session_id: "none" };
    expect(await server.post("/retrieve_futures", { target })).toMatchObject({ status: 404 });
    expect(await server.post("/retrieve_futures", { target: {} })).toMatchObject({ status: 422 });
  });
});

describe("copies of a sampler's client", () => {
  it("newest-clients 35: are numbered from 1, each once, and draw their own samples", async () => {
    const server = await TestServer.start();
    const sampling_session_id = await baseSampler(server);
    const join = async () => (await server.post("/join_sampling_session", { sampling_session_id })).body;
    expect([await join(), await join()]).toEqual([
      { client_counter: 1, type: "join_sampling_session" },
      { client_counter: 2, type: "join_sampling_session" },
    ]);
    const counters = await Promise.all([join(), join(), join()]);
    expect(counters.map(({ client_counter }) => client_counter)).toEqual([3, 4, 5]);
    const ask = (seq_id: number) =>
      server.submit("/asample", { prompt, sampling_params: { max_tokens: 1 }, sampling_session_id, seq_id });
    expect(await ask(1_000_000_000)).not.toBe(await ask(2_000_000_000));
    const other = { sampling_session_id: "none" };
    expect(await server.post("/join_sampling_session", other)).toMatchObject({ status: 404 });
    expect(await server.post("/join_sampling_session", {})).toMatchObject({ status: 422 });
    expect((await server.post("/client/config", {})).body).toMatchObject({
      sample_join_sampling_session: true,
    });
    const [session = ""] = sampling_session_id.split(":");
    await server.post(`/sessions/${session}/finish`, {});
    expect((await server.post("/join_sampling_session", { sampling_session_id })).status).not.toBe(200);
  });
});

describe("samplers of weights in flight", () => {
  it("all draw from what their model published last, while snapshots stay as they are", async () => {
    const engine = new ScriptedEngine();
    const server = await TestServer.start({ engine });
    const session = await server.createSession();
    const model_id = await server.createModel(session);
    const save = async (seq_id: number, sampling_session_seq_id: number, kind: string) =>
      String(
        (await server.run("/save_weights_for_sampler", { model_id, seq_id, sampling_session_seq_id, kind }))
          .sampling_session_id,
      );
    const logprobOf = async (sampling_session_id: string) => {
      const ask = { prompt, sampling_params: { max_tokens: 1 }, sampling_session_id };
      return (await server.run("/asample", ask)) as { sequences: { logprobs: number[] }[] };
    };
    const first = await save(1, 0, "inflight");
    const snapshot = await save(2, 1, "snapshot");
    expect((await logprobOf(first)).sequences[0]?.logprobs).toEqual([-1]);
    await server.run("/forward_backward", passBody(model_id, 3));
    await server.run("/optim_step", { model_id, seq_id: 4, adam_params: { learning_rate: 0.5 } });
    expect((await logprobOf(first)).sequences[0]?.logprobs).toEqual([-1]);
    const second = await save(5, 2, "inflight");
    for (const sampler of [first, second]) {
      expect((await logprobOf(sampler)).sequences[0]?.logprobs).toEqual([0.5]);
    }
    expect((await logprobOf(snapshot)).sequences[0]?.logprobs).toEqual([-1]);
    await server.post(`/sessions/${session}/finish`, {});
    expect(engine.adapterIds).toEqual([]);
  });

  it("have no name, and no other kind", async () => {
    const server = await TestServer.start();
    const model_id = await server.createModel();
    const save = (seq_id: number, more: object) =>
      server.run("/save_weights_for_sampler", { model_id, seq_id, ...more });
    expect(await save(1, { path: "a", kind: "inflight" })).toMatchObject({
      error: expect.stringContaining('kind must be "snapshot" where path names a checkpoint'),
    });
    expect(await save(2, { sampling_session_seq_id: 0, kind: "live" })).toMatchObject({
      error: 'kind must be "snapshot" or "inflight", got "live"',
    });
  });
});

describe("samples that nobody waits for", () => {
  /** A server whose engine holds every sample, and one under way. */
  async function held() {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const engine = new ScriptedEngine();
    const open = engine.hold();
    const server = await TestServer.start({ engine, clock, logger: silentLogger });
    const session = await server.createSession();
    const sampler = await baseSampler(server, session);
    const body = { prompt, sampling_params: { max_tokens: 2 }, sampling_session_id: sampler };
    const requestId = await server.submit("/asample", { ...body, seq_id: 0 });
    return { clock, server, session, open, body, requestId };
  }

  it("are ended by cancel_future, which the dynamic configuration offers", async () => {
    const { server, requestId, open, body } = await held();
    expect((await server.post("/client/dynamic_config", {})).body).toMatchObject({
      sample_cancel_enabled: true,
    });
    expect((await server.fetch("POST", "/cancel_future", json({ request_id: requestId }))).status).toBe(204);
    expect(await server.retrieve(requestId)).toEqual({
      error: "it was cancelled by its client",
      category: "user",
    });
    // Once more, and of an unknown one: nothing to be done, and no fault of the client.
    for (const id of [requestId, "unknown"]) {
      expect((await server.fetch("POST", "/cancel_future", json({ request_id: id }))).status).toBe(204);
    }
    open();
    const next = await server.submit("/asample", { ...body, seq_id: 1 });
    expect(await server.retrieve(next)).toMatchObject({ sequences: [{}] });
  });

  it("leave what trains as it is", async () => {
    const engine = new ScriptedEngine();
    const server = await TestServer.start({ engine });
    const modelId = await server.createModel();
    const open = engine.hold();
    const requestId = await server.submit("/forward_backward", passBody(modelId, 1));
    await server.fetch("POST", "/cancel_future", json({ request_id: requestId }));
    open();
    expect(await server.retrieve(requestId)).toMatchObject({ loss_fn_outputs: expect.any(Array) });
  });

  it("are ended when their session is finished, or sends no heartbeat for a minute", async () => {
    const finished = await held();
    await finished.server.post(`/sessions/${finished.session}/finish`, {});
    expect(await finished.server.retrieve(finished.requestId)).toMatchObject({
      error: "its session was finished",
    });

    const { clock, server, session, requestId } = await held();
    let isSettled = false;
    const outcome = server.retrieve(requestId).finally(() => {
      isSettled = true;
    });
    for (let beat = 0; beat < 9; beat += 1) {
      await clock.advance(10_000);
      expect((await server.post("/session_heartbeat", { session_id: session })).status).toBe(200);
    }
    expect(isSettled).toBe(false);
    for (let second = 0; second < 7; second += 1) await clock.advance(10_000);
    expect(await outcome).toEqual({
      error: "no heartbeat came for 60 s: sample again",
      category: "server",
    });
  });
});

function json(body: object): RequestInit {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}
