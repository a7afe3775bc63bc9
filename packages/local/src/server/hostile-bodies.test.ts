import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

/** Larger than any honest answer to a refused request. */
const MAX_ANSWER_BYTES = 20_000;

async function refused(
  server: TestServer,
  path: string,
  text: string | Uint8Array,
  type = "application/json",
) {
  const response = await server.fetch("POST", path, { body: text, headers: { "content-type": type } });
  const answer = await response.text();
  expect(answer.length).toBeLessThan(MAX_ANSWER_BYTES);
  return { status: response.status, body: JSON.parse(answer) };
}

const list = (element: string, count: number) => `[${new Array(count).fill(element).join()}]`;

describe("bodies with very many faults", () => {
  it("tells twenty of ten million, and stays up", { timeout: 30_000 }, async () => {
    const server = await TestServer.start();
    const { status, body } = await refused(server, "/create_session", `{"tags":${list("1", 10_000_000)}}`);
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(20);
    expect(body.detail[19]).toMatchObject({ loc: ["body", "tags", 19], type: "invalid_type" });
    expect((await server.get("/healthz")).status).toBe(200);
  });

  const input = (data: string, rest = "") =>
    `{"model_id":"m","forward_backward_input":{"loss_fn":"x","data":${data}${rest}}}`;
  const inputs = (count: number) =>
    Array.from({ length: count }, (_, index) => `"k${index}":{"data":0,"dtype":"int8"}`).join();
  it.each([
    ["datums", "/forward_backward", input(list('{"model_input":1}', 20_000))],
    [
      "chunks",
      "/forward_backward",
      input(`[{"model_input":{"chunks":${list("1", 200_000)}},"loss_fn_inputs":{}}]`),
    ],
    [
      "tensors",
      "/forward_backward",
      input(`[{"model_input":{"chunks":[]},"loss_fn_inputs":{${inputs(20_000)}}}]`),
    ],
    [
      "tensors in every datum",
      "/forward_backward",
      input(list(`{"model_input":{"chunks":[]},"loss_fn_inputs":{${inputs(30)}}}`, 500)),
    ],
    [
      "more datums than are taken",
      "/forward_backward",
      input(list('{"model_input":{"chunks":[]},"loss_fn_inputs":{}}', 65_537)),
    ],
    ["settings of a loss", "/forward_backward", input("[]", `,"loss_fn_config":{${inputs(20_000)}}`)],
    ["stops", "/asample", `{"prompt":{"chunks":[]},"sampling_params":{"stop":${list("{}", 200_000)}}}`],
    ["chunks of a prompt", "/asample", `{"prompt":{"chunks":${list("null", 200_000)}}}`],
  ])("tells few faults of many %s", async (_, path, text) => {
    const server = await TestServer.start();
    const { status, body } = await refused(server, path, text);
    expect(status).toBe(422);
    expect(body.detail.length).toBeGreaterThan(0);
    expect(body.detail.length).toBeLessThanOrEqual(20);
  });

  it("reads past any number of fields it does not know", async () => {
    const server = await TestServer.start();
    const unknown = Array.from({ length: 200_000 }, (_, index) => `"f${index}":0`).join();
    expect((await server.post("/create_session", `{"tags":["a"],${unknown}}`)).status).toBe(200);
  });
});

describe("answers to bodies with long texts", () => {
  const long = "x".repeat(2_000_000);

  it("quote little of a name that is not known", async () => {
    const server = await TestServer.start();
    for (const [path, body] of [
      ["/session_heartbeat", { session_id: long }],
      ["/get_info", { model_id: long }],
      ["/retrieve_future", { request_id: long }],
      ["/weights_info", { tinker_path: long }],
      ["/optim_step", { model_id: long }],
      ["/create_sampling_session", { session_id: long, sampling_session_seq_id: 0, base_model: long }],
      ["/asample", { prompt: { chunks: [] }, base_model: long }],
    ] as const) {
      const { status } = await refused(server, path, JSON.stringify(body));
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
  });

  it("quote little of a key at fault", async () => {
    const server = await TestServer.start();
    const body = {
      model_id: "m",
      forward_backward_input: { data: [], loss_fn: "x", loss_fn_config: { [long]: null } },
    };
    expect((await refused(server, "/forward_backward", JSON.stringify(body))).status).toBe(422);
  });

  it("quote little in the failure of an operation", async () => {
    const server = await TestServer.start();
    const model_id = await server.createModel();
    const forward_backward_input = { data: [], loss_fn: long };
    const failure = await server.run("/forward_backward", { model_id, seq_id: 1, forward_backward_input });
    expect(failure).toMatchObject({
      category: "user",
      error: expect.stringMatching(/^loss_fn must be one that .*, got "x{800}/),
    });
    expect(JSON.stringify(failure).length).toBeLessThan(MAX_ANSWER_BYTES);
  });
});

describe("integers beyond 2^53", () => {
  const wide = "[9007199254740993,-9223372036854775808]";

  it("are kept exactly in metadata of sessions, runs and checkpoints", async () => {
    const server = await TestServer.start();
    const metadata = `"user_metadata":{"n":9007199254740993,"list":{"of":${wide}},"text":"t"}`;
    const session = await server.post("/create_session", `{${metadata}}`);
    expect(session.status, JSON.stringify(session.body)).toBe(200);
    const { session_id } = session.body;
    const model = await server.run(
      "/create_model",
      `{"session_id":"${session_id}","model_seq_id":0,"base_model":"test/one","lora_config":{"rank":4},${metadata}}`,
    );
    const { model_id } = model;
    const kept = { n: "9007199254740993", list: `{"of":${wide}}`, text: "t" };
    expect((await server.get(`/training_runs/${model_id}`)).body).toMatchObject({ user_metadata: kept });
    await server.run("/save_weights", `{"model_id":"${model_id}","seq_id":1,"path":"a",${metadata}}`);
    expect((await server.get("/checkpoints")).body).toMatchObject({ checkpoints: [{ user_metadata: kept }] });
  });

  it.each([
    ["/create_session", `{"tags":${wide}}`],
    ["/create_session", `{"sdk_version":9007199254740993}`],
    ["/create_model", `{"session_id":9007199254740993,"model_seq_id":9007199254740993,"base_model":"x"}`],
    ["/asample", `{"prompt":{"chunks":[{"tokens":${wide}}]},"num_samples":9007199254740993}`],
    ["/optim_step", `{"model_id":"m","seq_id":9007199254740993}`],
    ["/optim_step", `{"model_id":"m","adam_params":{"beta1":9007199254740993}}`],
    ["/save_weights", `{"model_id":"m","path":"p","ttl_seconds":9007199254740993}`],
    ["/retrieve_future", wide],
  ])("elsewhere are no fault of the server: %s %s", async (path, text) => {
    const server = await TestServer.start();
    const { status } = await refused(server, path, text);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it("in a loss or a tensor fail the operation that holds them", async () => {
    const server = await TestServer.start();
    const model_id = await server.createModel();
    const text = JSON.stringify(passBody(model_id, 1)).replaceAll("[1,2,3]", `[1,2,9223372036854775807]`);
    expect(await server.run("/forward_backward", text)).toMatchObject({ category: "user" });
    const config = JSON.stringify(passBody(model_id, 2)).replace(
      '"loss_fn_config":null',
      '"loss_fn_config":{"beta":9007199254740993}',
    );
    expect((await refused(server, "/forward_backward", config)).status).toBe(422);
    expect(await server.run("/forward_backward", passBody(model_id, 3))).not.toHaveProperty("error");
  });
});

describe("JSON that nests deep, or would take much more memory than its text", () => {
  it.each([
    ["ten megabytes of [", "[".repeat(10_000_000)],
    ["as many that are closed", `{"tags":${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}}`],
    ["objects within each other", `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`],
    ["deep metadata", `{"user_metadata":{"a":${"[".repeat(80)}${"]".repeat(80)}}}`],
    ["eight million empty objects", `{"tags":${list("{}", 8_000_000)}}`],
    ["eight million empty lists", `{"tags":${list("[]", 8_000_000)}}`],
  ])("is refused: %s", async (_, text) => {
    const server = await TestServer.start();
    expect((await refused(server, "/create_session", text)).status).toBe(422);
    expect((await server.get("/healthz")).status).toBe(200);
  });
});

describe("objects that cannot be shown", () => {
  // JSON.parse gives the object a member that `String` would call.
  const trap = '{"toString":1,"valueOf":2}';

  it.each([
    ["tokens", `{"model_input":{"chunks":[{"tokens":[${trap}]}]},"loss_fn_inputs":{}}`],
    [
      "a tensor",
      `{"model_input":{"chunks":[{"tokens":[1]}]},"loss_fn_inputs":{"target_tokens":{"data":[${trap}],"dtype":"int64"}}}`,
    ],
    [
      "a shape",
      `{"model_input":{"chunks":[{"tokens":[1]}]},"loss_fn_inputs":{"target_tokens":{"data":[1],"dtype":"int64","shape":[${trap}]}}}`,
    ],
  ])("in %s are the sender's fault", async (_, datum) => {
    const server = await TestServer.start();
    const model_id = await server.createModel();
    const text = `{"model_id":"${model_id}","seq_id":1,"forward_backward_input":{"loss_fn":"cross_entropy","data":[${datum}]}}`;
    const answer = await server.post("/forward_backward", text);
    if (answer.status === 422) return;
    expect(await server.retrieve(String(answer.body.request_id))).toMatchObject({ category: "user" });
  });
});

describe("small requests for large memory", () => {
  it("a sparse tensor is refused by the size it would have", async () => {
    const server = await TestServer.start();
    const model_id = await server.createModel();
    const length = 32;
    const tokens = new Array(length).fill(1);
    const sparse = {
      data: [],
      dtype: "float32",
      shape: [length, 2 ** 30],
      sparse_crow_indices: new Array(length + 1).fill(0),
      sparse_col_indices: [],
    };
    const datum = {
      model_input: { chunks: [{ tokens }] },
      loss_fn_inputs: { target_tokens: { ...sparse, dtype: "int64" }, weights: sparse },
    };
    const body = { model_id, seq_id: 1, forward_backward_input: { data: [datum], loss_fn: "cross_entropy" } };
    expect(await server.run("/forward_backward", body)).toMatchObject({
      category: "user",
      error: expect.stringContaining("must have at most 16777216 elements in a request, zeros included"),
    });
  });

  it("a sample request is refused by its stops", async () => {
    const server = await TestServer.start();
    const session_id = await server.createSession();
    const sampler = await server.post("/create_sampling_session", {
      session_id,
      sampling_session_seq_id: 0,
      base_model: "test/one",
    });
    const sample = (stop: unknown, seq_id: number) =>
      server.run("/asample", {
        sampling_session_id: sampler.body.sampling_session_id,
        seq_id,
        prompt: { chunks: [{ tokens: [1] }] },
        sampling_params: { stop, max_tokens: 1 },
      });
    expect(await sample(new Array(1025).fill("s"), 0)).toMatchObject({
      error: expect.stringContaining("must have at most 1024 entries, got 1025"),
    });
    expect(await sample(["s".repeat(65_537)], 1)).toMatchObject({
      error: expect.stringContaining("characters in all, got 65537"),
    });
  });
});
