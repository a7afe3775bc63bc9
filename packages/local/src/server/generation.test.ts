import { PROTOBUF_TYPE } from "@tinkex/wire";
import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";
import { GENERATIONS } from "./generation.js";
import { startLocalServer } from "./start-local-server.js";

/** Endpoints by what they answer to a body that is right for them, on a server of each generation. */
async function statusesOf(server: TestServer, model: string): Promise<Readonly<Record<string, number>>> {
  const [session = ""] = model.split(":train:");
  const { forward_backward_input: forward_input } = passBody(model, 1) as { forward_backward_input: object };
  const posts = {
    "/client/config": { sdk_version: "0.38.0" },
    "/client/dynamic_config": { sdk_version: "0.38.0" },
    "/forward": { forward_input, model_id: model, seq_id: 1 },
    "/unload_model": { model_id: model },
    [`/sessions/${session}/finish`]: { reason: { type: "success" } },
  };
  const statuses: Record<string, number> = {};
  for (const [path, body] of Object.entries(posts)) {
    statuses[path.replace(session, "S")] = (await server.post(path, body)).status;
  }
  return statuses;
}

describe("a server of one generation", () => {
  it.each([
    {
      generation: "0.4",
      statuses: {
        "/client/config": 404,
        "/client/dynamic_config": 404,
        "/forward": 200,
        "/unload_model": 200,
        "/sessions/S/finish": 404,
      },
    },
    {
      generation: "0.25",
      statuses: {
        "/client/config": 200,
        "/client/dynamic_config": 404,
        "/forward": 200,
        "/unload_model": 200,
        "/sessions/S/finish": 404,
      },
    },
    {
      generation: "0.38",
      statuses: {
        "/client/config": 200,
        "/client/dynamic_config": 200,
        "/forward": 404,
        "/unload_model": 404,
        "/sessions/S/finish": 204,
      },
    },
  ] as const)("has the endpoints of $generation alone", async ({ generation, statuses }) => {
    const server = await TestServer.start({ generation });
    expect(await statusesOf(server, await server.createModel())).toEqual(statuses);
  });

  it("reads and writes plain JSON in the oldest, whatever a client would take", async () => {
    const server = await TestServer.start({ generation: "0.4" });
    const model = await server.createModel();
    const refused = await server.post("/forward_backward", "x", { "content-type": PROTOBUF_TYPE });
    expect(refused).toMatchObject({ status: 415 });
    const id = await server.submit("/forward_backward", passBody(model, 1));
    const init = {
      body: JSON.stringify({ request_id: id }),
      headers: { "content-type": "application/json", accept: PROTOBUF_TYPE },
    };
    const answer = await server.fetch("POST", "/retrieve_future", init);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toHaveProperty("metrics");
  });

  it("leaves the fields of later ones out", async () => {
    for (const [generation, isNewest] of [
      ["0.4", false],
      ["0.25", false],
      ["0.38", true],
    ] as const) {
      const server = await TestServer.start({ generation });
      const session = await server.createSession();
      const { body: created } = await server.post("/create_sampling_session", {
        session_id: session,
        sampling_session_seq_id: 0,
        base_model: server.baseModel,
      });
      const sample = {
        sampling_session_id: created.sampling_session_id,
        seq_id: 0,
        num_samples: 1,
        prompt: { chunks: [{ tokens: [1] }] },
        sampling_params: { max_tokens: 1 },
      };
      const { body } = await server.post("/asample", sample);
      expect(Object.keys(body)).toEqual(isNewest ? ["request_id", "sample_sequence_ids"] : ["request_id"]);
      const config = await server.post("/client/config", { sdk_version: "0.25.0" });
      if (generation !== "0.4") expect("sample_use_retrieve_futures" in config.body).toBe(isNewest);
    }
  });

  it("keeps the order of a model behind an operation that its generation has not", async () => {
    const server = await TestServer.start({ generation: "0.38" });
    const model = await server.createModel();
    const { forward_backward_input: forward_input } = passBody(model, 1) as {
      forward_backward_input: object;
    };
    expect((await server.post("/forward", { forward_input, model_id: model, seq_id: 1 })).status).toBe(404);
    expect(await server.run("/forward_backward", passBody(model, 2))).toHaveProperty("metrics");
  });

  it("is chosen by a name that there is", async () => {
    expect(GENERATIONS).toEqual(["0.4", "0.25", "0.38"]);
    const generation: "0.4" = JSON.parse('"0.5"');
    await expect(startLocalServer({ generation })).rejects.toThrow(
      'generation must be one of 0.4, 0.25, 0.38, got "0.5"',
    );
  });
});
