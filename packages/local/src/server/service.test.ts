import { connect } from "node:net";
import { silentLogger } from "@tinkex/base";
import { CANARY_KEY, CANARY_PROMPT, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { TestServer } from "../testing/test-server.js";

describe("service endpoints", () => {
  it("endpoints 1: answers what the SDKs ask at their start", async () => {
    const server = await TestServer.start();
    expect(await server.get("/healthz")).toEqual({ status: 200, body: { status: "ok" } });
    expect(await server.get("/get_server_capabilities")).toEqual({
      status: 200,
      body: {
        supported_models: [
          {
            model_name: "test/one",
            max_context_length: 32,
            trainable: true,
            sampleable: true,
            tokenizer_id: expect.any(String),
          },
        ],
      },
    });
    const version = { sdk_version: "0.38.0" };
    expect(await server.post("/client/config", version)).toMatchObject({
      status: 200,
      body: { pjwt_auth_enabled: false },
    });
    expect(await server.post("/client/dynamic_config", version)).toMatchObject({ status: 200 });
    expect(await server.post("/telemetry", { events: [] })).toEqual({
      status: 200,
      body: { status: "accepted" },
    });
  });

  it("tells of a model whose weights are quantized that they are", async () => {
    const server = await TestServer.start({ engine: new ScriptedEngine({ weights: "int8" }) });
    expect((await server.get("/get_server_capabilities")).body).toMatchObject({
      supported_models: [{ model_name: "test/one", weights: "int8" }],
    });
  });

  it("serves any base model where one stands in, says so once a name, and answers with its own name", async () => {
    const log: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void log.push(message) };
    const server = await TestServer.start({ standIn: true, logger });
    expect((await server.get("/get_server_capabilities")).body).toMatchObject({
      supported_models: [{ model_name: "test/one", stands_in: true }],
    });
    const session_id = await server.createSession();
    for (const [model_seq_id, base_model] of [
      "acme/large",
      "acme/large",
      "acme/larger",
      "test/one",
    ].entries()) {
      const made = await server.run("/create_model", {
        session_id,
        model_seq_id,
        base_model,
        lora_config: { rank: 4 },
      });
      expect(made).toMatchObject({ model_id: `${session_id}:train:${model_seq_id}` });
    }
    expect((await server.post("/get_info", { model_id: `${session_id}:train:0` })).body).toMatchObject({
      model_name: "test/one",
    });
    expect(log).toEqual([
      expect.stringContaining('base_model "acme/large" is not here: test/one stands in for it'),
      expect.stringContaining('base_model "acme/larger"'),
    ]);
  });

  it("endpoints 17: names the route it does not have", async () => {
    const server = await TestServer.start();
    expect(await server.post("/no_such_route", {})).toEqual({
      status: 404,
      body: { detail: "this server has no POST /api/v1/no_such_route" },
    });
  });

  it("says in the form of every other error that a path cannot be read", async () => {
    const server = await TestServer.start();
    expect(await server.get("/training_runs/%E0%A4%A")).toEqual({
      status: 400,
      body: { detail: expect.stringContaining("%E0%A4%A") },
    });
    expect(await server.get(`/training_runs/${"x".repeat(2000)}`)).toMatchObject({
      status: 414,
      body: { detail: expect.any(String) },
    });
  });

  it("endpoints 17: answers errors with a length, never in chunks", async () => {
    const server = await TestServer.start();
    const response = await server.fetch("POST", "/create_sampling_session", {
      body: JSON.stringify({ session_id: await server.createSession(), sampling_session_seq_id: 0 }),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
    expect(response.headers.get("content-type")).toContain("application/json");
  });

  it("names the fields of a body that are wrong", async () => {
    const server = await TestServer.start();
    expect(await server.post("/create_model", { session_id: 5, base_model: "x" })).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ["body", "session_id"], type: "invalid_type" },
          { loc: ["body", "model_seq_id"], type: "invalid_type" },
        ],
      },
    });
  });

  it.each([
    ["no JSON", "{", "application/json", 422, "request at byte 1: not JSON"],
    [
      "JSON of too many levels",
      "[".repeat(100),
      "application/json",
      422,
      "request: not JSON: more than 64 levels",
    ],
    ["a form", "a=1", "application/x-www-form-urlencoded", 415, 'got "application/x-www-form-urlencoded"'],
    ["text", "hello", "text/plain", 415, "must be application/json or application/x-protobuf"],
    ["of no type that there is", "{}", "nonsense", 415, 'got "nonsense"'],
  ])("refuses a body that is %s", async (_, body, type, status, detail) => {
    const server = await TestServer.start();
    const response = await server.fetch("POST", "/create_session", {
      body,
      headers: { "content-type": type },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ detail: expect.stringContaining(detail) });
  });

  it("endpoints 4: takes a JSON type with no body at all", async () => {
    const server = await TestServer.start();
    const response = await server.fetch("POST", "/telemetry", {
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    const gone = await server.fetch("DELETE", "/training_runs/r:train:0/checkpoints/weights/a", {
      headers: { "content-type": "application/json" },
    });
    expect(gone.status).toBe(404);
  });

  it("refuses a body above its limit before reading it", async () => {
    const server = await TestServer.start();
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.running.port, "127.0.0.1", () => {
        socket.write(
          "POST /api/v1/create_session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
            "Content-Length: 200000000\r\n\r\n",
        );
      });
      socket.on("data", (data) => {
        resolve(data.toString().split("\r\n", 1)[0] ?? "");
        socket.destroy();
      });
      socket.on("error", reject);
    });
    expect(status).toContain("413");
  });

  it("asks for its key, and keeps web pages out", async () => {
    const server = await TestServer.start({ apiKey: CANARY_KEY });
    expect(await server.get("/healthz")).toMatchObject({ status: 200 });
    expect(await server.get("/training_runs")).toMatchObject({ status: 401 });
    expect(await server.post("/create_session", {}, { "x-api-key": `${CANARY_KEY}-wrong` })).toMatchObject({
      status: 401,
    });
    expect(await server.post("/create_session", {}, { "x-api-key": CANARY_KEY })).toMatchObject({
      status: 200,
    });
    const fromPage = { "x-api-key": CANARY_KEY, origin: "http://example.com" };
    expect(await server.post("/create_session", {}, fromPage)).toMatchObject({ status: 403 });
  });

  it("transport 94: logs neither its key nor what it was sent, and answers without the key", async () => {
    const told: unknown[] = [];
    const tell = (...what: readonly unknown[]): void => void told.push(what);
    const logger = { debug: tell, info: tell, warn: tell, error: tell };
    const server = await TestServer.start({ apiKey: CANARY_KEY, logger });
    const headers = { "x-api-key": CANARY_KEY };
    const answers = [
      await server.post("/create_session", { user_metadata: { note: CANARY_PROMPT } }, headers),
      await server.post("/create_session", `{"note": "${CANARY_PROMPT}`, headers),
      await server.post("/asample", { prompt: CANARY_PROMPT }, headers),
      await server.post("/no_such_call", { prompt: CANARY_PROMPT }, headers),
      await server.post("/create_session", {}, { "x-api-key": `${CANARY_KEY}-wrong` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 422, 404, 401]);
    expect(findCanaries(everythingOf(told))).toEqual([]);
    expect(everythingOf(answers)).not.toContain(CANARY_KEY);
  });
});
