import { FakeClock } from "@tinkex/base/testing";
import { encodeForwardBackwardRequest, PROTOBUF_TYPE } from "@tinkex/wire";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";
import { addFaults } from "./add-faults.js";
import type { Fault } from "./fault.js";
import { FaultBook } from "./fault-book.js";
import { RequestLog } from "./logged-request.js";

async function serve(faults: readonly Fault[], options: TestServerOptions = {}) {
  const book = new FaultBook();
  const log = new RequestLog();
  for (const fault of faults) book.add(fault);
  const server = await TestServer.start({
    ...options,
    extend: (app, state) => addFaults(app, { state, faults: book, log }),
  });
  return {
    server,
    log,
    requestsTo: (name: string) => log.requests.filter(({ endpoint }) => endpoint === name),
  };
}

const step = (model_id: string, seq_id: number) => ({ model_id, seq_id, adam_params: { learning_rate: 1 } });
const stepsOf = (server: TestServer) => server.engine.calls.filter((call) => call.startsWith("optim_step"));

describe("a fault of an endpoint", () => {
  it("refuses the requests that it counts, with a reason and a pause, and has nothing done for them", async () => {
    const { server, requestsTo } = await serve([
      { endpoint: "optim_step", nth: 2, times: 2, status: 429, retryAfterSeconds: 7, detail: "slow down" },
    ]);
    const model = await server.createModel();
    const statuses: number[] = [];
    for (const seq of [1, 2, 2, 2]) {
      const response = await server.fetch("POST", "/optim_step", {
        body: JSON.stringify(step(model, seq)),
        headers: { "content-type": "application/json" },
      });
      statuses.push(response.status);
      if (response.status !== 429) continue;
      expect(response.headers.get("retry-after")).toBe("7");
      expect(await response.json()).toEqual({ detail: "slow down" });
      expect(stepsOf(server)).toHaveLength(1);
    }
    expect(statuses).toEqual([200, 429, 429, 200]);
    await expect.poll(() => stepsOf(server)).toHaveLength(2);
    expect(requestsTo("optim_step").map(({ status, fault }) => [status, fault !== undefined])).toEqual([
      [200, false],
      [429, true],
      [429, true],
      [200, false],
    ]);
  });

  it("refuses for good, with the reason, where its own function throws", async () => {
    const broken = () => {
      throw new Error("no such field");
    };
    const { server } = await serve([{ endpoint: "healthz", status: 503, when: broken }]);
    expect(await server.get("/healthz")).toEqual({
      status: 400,
      body: {
        detail: expect.stringContaining('"when" of a fault must not throw, got "no such field" at healthz'),
      },
    });
    expect((await server.get("/get_server_capabilities")).status).toBe(200);
  });

  it.each<[string, () => unknown]>([
    ["gives false later", async () => false],
    ["fails later", () => Promise.reject(new Error("no such field"))],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    ["gives a promise of another library", () => ({ then: (take: (value: boolean) => void) => take(false) })],
  ])("refuses for good where its own function %s, as no request waits for it", async (_, when) => {
    const fault = { endpoint: "healthz", status: 503, when: when as () => boolean } as const;
    const { server } = await serve([fault, { future: "optim_step", fail: "x", when: fault.when }]);
    const detail = expect.stringContaining(
      '"when" of a fault must give true or false at once, got a promise',
    );
    expect(await server.get("/healthz")).toEqual({ status: 400, body: { detail } });
    const model = await server.createModel();
    expect(await server.post("/optim_step", step(model, 1))).toEqual({ status: 400, body: { detail } });
  });

  it("says by itself what it is where it has no text, in the form of every other refusal", async () => {
    const { server } = await serve([{ endpoint: "healthz", times: Number.POSITIVE_INFINITY, status: 402 }]);
    for (let time = 0; time < 3; time += 1) {
      expect(await server.get("/healthz")).toEqual({
        status: 402,
        body: { detail: "status 402 by a fault of the test" },
      });
    }
  });

  it("loses the answer of an operation that is done, which is done once though it comes again", async () => {
    const { server, requestsTo } = await serve([{ endpoint: "optim_step", disconnect: "after" }]);
    const model = await server.createModel();
    await expect(server.post("/optim_step", step(model, 1))).rejects.toThrow(TypeError);
    await expect.poll(() => stepsOf(server)).toHaveLength(1);
    expect(await server.run("/optim_step", step(model, 1))).toMatchObject({ metrics: { "step:max": 1 } });
    expect(stepsOf(server)).toHaveLength(1);
    const [lost, answered] = requestsTo("optim_step");
    expect([lost?.status, lost?.requestId]).toEqual([undefined, answered?.requestId]);
  });

  it("hangs up before anything is done", async () => {
    const { server, requestsTo } = await serve([{ endpoint: "optim_step", disconnect: "before" }]);
    const model = await server.createModel();
    await expect(server.post("/optim_step", step(model, 1))).rejects.toThrow(TypeError);
    // An operation of another model is behind it in every queue.
    await server.createModel();
    expect(stepsOf(server)).toEqual([]);
    expect(requestsTo("optim_step")).toMatchObject([{ status: undefined, requestId: undefined }]);
  });

  it("lets a request wait by the server's clock, and answers it then", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const { server } = await serve([{ endpoint: "get_server_capabilities", delayMs: 5_000 }], { clock });
    const sleeping = clock.sleeping;
    let isAnswered = false;
    const answer = server.get("/get_server_capabilities").finally(() => {
      isAnswered = true;
    });
    await expect.poll(() => clock.sleeping).toBe(sleeping + 1);
    await clock.advance(4_999);
    await server.get("/healthz");
    expect(isAnswered).toBe(false);
    await clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  it("forgets a session for good, and no other", async () => {
    const { server } = await serve([{ endpoint: "session_heartbeat", loseSession: true }]);
    const model = await server.createModel();
    const [session_id = ""] = model.split(":");
    const other = await server.createModel();
    const lost = { status: 404, body: { detail: expect.stringContaining(`no session ${session_id}`) } };
    expect(await server.post("/session_heartbeat", { session_id })).toEqual(lost);
    expect(await server.post("/optim_step", step(model, 1))).toEqual(lost);
    expect(await server.post("/session_heartbeat", { session_id })).toEqual(lost);
    expect(server.engine.adapterIds).toEqual([other]);
    expect(await server.run("/optim_step", step(other, 1))).toHaveProperty("metrics");
  });

  it("meets an endpoint that the server does not have, and a request only when it shall", async () => {
    const { server } = await serve([
      { endpoint: "get_trace_export", status: 503 },
      { endpoint: "healthz", status: 500, nth: 2, when: ({ path }) => path.endsWith("healthz") },
      { endpoint: "optim_step", status: 503, when: ({ sequenceId }) => sequenceId === 2 },
    ]);
    expect((await server.get("/sessions/s/trace_export")).status).toBe(503);
    expect((await server.get("/healthz")).status).toBe(200);
    expect((await server.get("/healthz")).status).toBe(500);
    const model = await server.createModel();
    expect((await server.post("/optim_step", step(model, 1))).status).toBe(200);
    expect((await server.post("/optim_step", step(model, 2))).status).toBe(503);
  });
});

describe("a fault of a future", () => {
  it("says that the operation waits, once, and then gives the result", async () => {
    const { server, requestsTo } = await serve([
      { future: "optim_step", queueState: "paused_capacity", reason: "no room", polls: 2 },
    ]);
    const model = await server.createModel();
    const id = await server.submit("/optim_step", step(model, 1));
    const notYet = {
      type: "try_again",
      request_id: id,
      queue_state: "paused_capacity",
      queue_state_reason: "no room",
    };
    for (let poll = 0; poll < 2; poll += 1) {
      expect(await server.post("/retrieve_future", { request_id: id })).toEqual({
        status: 408,
        body: notYet,
      });
    }
    expect(await server.retrieve(id)).toHaveProperty("metrics");
    expect(requestsTo("retrieve_future").slice(-3)).toMatchObject([
      { operation: "optim_step", status: 408, sessionId: model.split(":")[0] },
      { operation: "optim_step", status: 408 },
      { operation: "optim_step", status: 200, fault: undefined },
    ]);
  });

  it("lets what trains fail in its place of the order, and never runs it", async () => {
    const { server } = await serve([{ future: "optim_step", nth: 2, fail: "out of memory" }]);
    const model = await server.createModel();
    const ids = await Promise.all([1, 2, 3].map((seq) => server.submit("/optim_step", step(model, seq))));
    // Sent again, as after a lost answer: the same failure.
    expect(await server.submit("/optim_step", step(model, 2))).toBe(ids[1]);
    expect(await Promise.all(ids.map((id) => server.retrieve(id)))).toMatchObject([
      { metrics: { "step:max": 1 } },
      { error: "out of memory", category: "server" },
      { metrics: { "step:max": 2 } },
    ]);
    expect(stepsOf(server)).toHaveLength(2);
  });

  it("lets a protobuf pass and a new model fail", async () => {
    const { server, requestsTo } = await serve([
      { future: "forward_backward", fail: "lost", category: "user" },
      { future: "create_model", nth: 2, fail: "no room" },
    ]);
    const model = await server.createModel();
    const record = {
      model_id: model,
      seq_id: 1,
      forward_backward_input: {
        data: [
          {
            model_input: { chunks: [{ type: "encoded_text" as const, tokens: [1, 2] }] },
            loss_fn_inputs: { target_tokens: { data: [2, 3], dtype: "int64" as const, shape: [2] } },
          },
        ],
        loss_fn: "cross_entropy" as const,
      },
    };
    const { body } = encodeForwardBackwardRequest(record, { wire: "protobuf", generation: "0.38" });
    const answer = await server.fetch("POST", "/forward_backward", {
      body,
      headers: { "content-type": PROTOBUF_TYPE },
    });
    const { request_id } = (await answer.json()) as { readonly request_id: string };
    expect(await server.retrieve(request_id)).toEqual({ error: "lost", category: "user" });
    expect(requestsTo("forward_backward")).toMatchObject([
      { modelId: model, sequenceId: 1, body: { model_id: model }, requestId: request_id },
    ]);
    await expect(server.createModel()).resolves.toBe("undefined");
    expect(server.engine.calls.filter((call) => call.startsWith("forward"))).toEqual([]);
  });

  it("says for good that a result is gone, or fails its polls by status and hangs up", async () => {
    const { server } = await serve([
      { future: "optim_step", expire: true },
      { future: "optim_step", nth: 2, status: 500, polls: 2 },
      { future: "optim_step", nth: 3, disconnect: "before" },
    ]);
    const model = await server.createModel();
    const [gone = "", refused = "", cut = ""] = await Promise.all(
      [1, 2, 3].map((seq) => server.submit("/optim_step", step(model, seq))),
    );
    const poll = (request_id: string) => server.post("/retrieve_future", { request_id });
    for (let time = 0; time < 3; time += 1) expect((await poll(gone)).status).toBe(410);
    expect([(await poll(refused)).status, (await poll(refused)).status]).toEqual([500, 500]);
    expect(await server.retrieve(refused)).toMatchObject({ metrics: { "step:max": 2 } });
    await expect(poll(cut)).rejects.toThrow(TypeError);
    expect(await server.retrieve(cut)).toMatchObject({ metrics: { "step:max": 3 } });
  });
});

describe("the log of requests", () => {
  it("has each request with its ids, what it brought, and when it was answered how, but no key", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const { server, log } = await serve([], { clock, apiKey: CANARY_KEY });
    await server.get("/healthz");
    await server.get("/training_runs?limit=2");
    const headers = { "x-api-key": CANARY_KEY };
    await clock.advance(1_000);
    await server.post("/forward_backward", passBody("s:train:0", 4), headers);
    await server.fetch("GET", "/nowhere", { headers });
    expect(log.requests).toMatchObject([
      { number: 1, endpoint: "healthz", method: "GET", status: 200, receivedAtMs: 1_800_000_000_000 },
      { number: 2, endpoint: "list_training_runs", path: "/api/v1/training_runs", status: 401 },
      {
        number: 3,
        endpoint: "forward_backward",
        sessionId: "s",
        modelId: "s:train:0",
        sequenceId: 4,
        status: 404,
        body: passBody("s:train:0", 4),
        answeredAtMs: 1_800_000_001_000,
      },
      { number: 4, endpoint: undefined, path: "/api/v1/nowhere", status: 404 },
    ]);
    expect(JSON.stringify(log.requests)).not.toContain(CANARY_KEY);
  });
});
