import { fileURLToPath } from "node:url";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { type MortalEngineSurroundings, startMortalEngine } from "../testing/mortal-engine.js";
import { passBody, TestClient } from "../testing/test-client.js";
import { startServing, TestServer } from "../testing/test-server.js";

const directory = fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url));
const model = { name: "test/tiny-llama", directory };
const sentence = [5, 9, 2, 7, 11, 3, 8, 6];
const learn = { learning_rate: 0.02 };

async function serve(surroundings?: MortalEngineSurroundings) {
  const mortal = await startMortalEngine({ model, runtime: "native", threads: 1 }, surroundings);
  const { url } = await startServing(mortal.engine);
  return { ...mortal, client: new TestClient(url, model.name) };
}

describe("a server whose engine ends", () => {
  it("fails the futures under way with the reason, and trains on from the last answer", {
    timeout: 60_000,
  }, async () => {
    const { client, kill } = await serve();
    const train = async (model_id: string, seq: number) => {
      const { metrics } = await client.run("/forward_backward", passBody(model_id, seq, sentence));
      await client.run("/optim_step", { model_id, seq_id: seq + 1, adam_params: learn });
      return metrics;
    };
    const twins = { lora_config: { rank: 4, seed: 7 } };
    const model_id = await client.createModel(undefined, 0, twins);
    const undisturbed = await client.createModel(undefined, 0, twins);
    expect(await train(model_id, 1)).toEqual(await train(undisturbed, 1));
    const expected = await train(undisturbed, 3);
    const long = passBody(model_id, 3, sentence) as { forward_backward_input: { data: object[] } };
    const data = new Array<object>(4000).fill(long.forward_backward_input.data[0] ?? {});
    const cut = await client.submit("/forward_backward", {
      ...long,
      forward_backward_input: { ...long.forward_backward_input, data },
    });
    await kill();
    expect(await client.retrieve(cut)).toEqual({
      category: "server",
      error: expect.stringMatching(/^the engine's thread ended unexpectedly .*submit it again/),
    });
    expect(await train(model_id, 4)).toEqual(expected);
    expect((await client.get("/healthz")).body).toEqual({ status: "ok" });
  });

  it("finishes sessions and unloads models although its engine was given up, whose memory went with it", {
    timeout: 60_000,
  }, async () => {
    const clock = new FakeClock({ autoAdvance: true, startMs: 1_800_000_000_000 });
    const { client, engine, kill, log } = await serve({ clock, isRefused: (start) => start > 1 });
    const session = await client.createSession();
    const model_id = await client.createModel(session);
    const other = await client.createModel(session, 1);
    await client.run("/save_weights_for_sampler", { model_id, seq_id: 1, sampling_session_seq_id: 0 });
    await kill();
    await expect.poll(() => engine.fault, { timeout: 30_000 }).toMatch(/given up: start the server again$/);
    expect(log.at(-1)).toContain("the system has no thread left");
    expect(await client.run("/optim_step", { model_id, seq_id: 2, adam_params: learn })).toMatchObject({
      category: "server",
      error: expect.stringContaining("given up: start the server again"),
    });
    expect(await client.run("/unload_model", { model_id: other })).toMatchObject({ model_id: other });
    const finish = () => client.post(`/sessions/${session}/finish`, {});
    expect(await finish()).toMatchObject({ status: 204 });
    expect(await finish()).toMatchObject({ status: 204 });
    expect((await client.get(`/sessions/${session}`)).body.sampler_ids).toEqual([]);
  });

  it("says in its health which engine and why, until it runs again", async () => {
    const server = await TestServer.start();
    expect(await server.get("/healthz")).toEqual({ status: 200, body: { status: "ok" } });
    server.engine.fault = "the engine's thread ended unexpectedly (no memory)";
    expect(await server.get("/healthz")).toEqual({
      status: 503,
      body: { detail: "engine of test/one: the engine's thread ended unexpectedly (no memory)" },
    });
    server.engine.fault = undefined;
    expect(await server.get("/healthz")).toMatchObject({ status: 200 });
  });
});
