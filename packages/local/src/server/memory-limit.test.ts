import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { passBody, TestClient } from "../testing/test-client.js";
import { type LocalServer, startLocalServer } from "./start-local-server.js";

const tiny = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};

const lines: string[] = [];
const note = (message: string) => void lines.push(message);
const logger = { debug: note, info: note, warn: note, error: note };

async function startWith(memoryLimitMb: number, models = [tiny]): Promise<LocalServer> {
  const server = await startLocalServer({ models, threads: 1, memoryLimitMb, logger });
  onTestFinished(() => server.close());
  return server;
}

/** The least megabytes that a server takes, as the refusal of fewer says. */
async function leastMb(models = [tiny]): Promise<number> {
  const refusal = await startWith(1, models).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "validation_failed", path: ["memoryLimitMb"] });
  return Number(/must be at least (\d+) for test\/tiny-llama/.exec(String(refusal))?.[1]);
}

describe("memoryLimitMb", () => {
  it("ends the context where longer rows would not fit, says so, and refuses them by its number", {
    timeout: 60_000,
  }, async () => {
    const server = await startWith(await leastMb());
    const client = new TestClient(server.url, tiny.name);
    const { body } = await client.get("/get_server_capabilities");
    const [{ max_context_length: context } = { max_context_length: 0 }] = (
      body as { supported_models: { max_context_length: number }[] }
    ).supported_models;
    expect(context).toBeGreaterThanOrEqual(64);
    expect(context).toBeLessThan(512);
    expect(lines).toContain(
      `memoryLimitMb leaves room for sequences of ${context} tokens to ${tiny.name}, whose context has 512`,
    );
    const model = await client.createModel();
    const row = (length: number) => Array.from({ length }, (_, at) => 1 + (at % 300));
    const { loss_fn_outputs: outputs } = await client.run(
      "/forward_backward",
      passBody(model, 1, row(context)),
    );
    expect(outputs).toHaveLength(1);
    expect(await client.run("/forward_backward", passBody(model, 2, row(context + 1)))).toEqual({
      category: "user",
      error: `data[0].model_input must have at most ${context} tokens, the window of ${tiny.name}, got ${context + 1}`,
    });
  });

  it("changes nothing where there is enough", { timeout: 60_000 }, async () => {
    lines.length = 0;
    await startWith(8000);
    expect(lines).toEqual([expect.stringContaining("Serving test/tiny-llama")]);
  });

  it("is divided among the models, and a refusal names what all of them need", {
    timeout: 60_000,
  }, async () => {
    const models = [tiny, { ...tiny, name: "test/second" }];
    const least = await leastMb(models);
    expect(least).toBeGreaterThan(await leastMb());
    await expect(startWith(least - 1, models)).rejects.toThrow(
      `memoryLimitMb must be at least ${least} for test/tiny-llama to have one of 2 equal parts, got ${least - 1}`,
    );
    const server = await startWith(least, models);
    expect(server.models).toHaveLength(2);
  });
});
