import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger, systemClock } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../server/limits.js";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { temporaryDirectory } from "../testing/temporary-directory.js";
import { TestServer } from "../testing/test-server.js";
import { serveEngines } from "./serve-engines.js";

async function filesBelow(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

describe("close", () => {
  it("BR-115: fails the running job cleanly, answers its poll, and frees the port at once", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    server.engine.hold();
    const running = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const waiting = await server.submit("/optim_step", { model_id: model, seq_id: 2 });
    const polls = [server.retrieve(running), server.retrieve(waiting)];
    await new Promise((resolve) => setTimeout(resolve, 30));
    const start = performance.now();
    // A poll that were not answered would be held for 20 s.
    await Promise.all([server.running.close(), server.running.close()]);
    expect(performance.now() - start).toBeLessThan(3000);
    expect(await Promise.all(polls)).toEqual([
      { error: "The engine was closed.", category: "server" },
      { error: "The server was closed before this operation ran.", category: "server" },
    ]);
    expect(server.engine.calls.filter((call) => call === "close")).toHaveLength(1);
    const again = await serveEngines({
      engines: [new ScriptedEngine()],
      dataDirectory: await temporaryDirectory(),
      host: "127.0.0.1",
      port: server.running.port,
      apiKey: undefined,
      clock: systemClock,
      logger: silentLogger,
      randomSeed: () => 0,
      limits: DEFAULT_LIMITS,
    });
    await again.close();
  });

  it("leaves nothing of a checkpoint that was being saved", async () => {
    const dataDirectory = await temporaryDirectory();
    const server = await TestServer.start({ dataDirectory });
    const model = await server.createModel();
    await server.run("/save_weights", { model_id: model, path: "whole", seq_id: 1 });
    const before = await filesBelow(dataDirectory);
    server.engine.hold();
    await server.submit("/save_weights", { model_id: model, path: "half", seq_id: 2 });
    while (!server.engine.calls.at(-1)?.startsWith("save")) await new Promise(setImmediate);
    await server.running.close();
    expect(await filesBelow(dataDirectory)).toEqual(before);
    expect(before).toEqual(["adapter.json", "checkpoint.json", "run.json"]);
    const run = join(dataDirectory, "runs", encodeURIComponent(model));
    expect(await readdir(join(run, "weights"))).toEqual(["whole"]);
    expect(await readdir(join(run, "staging"))).toEqual([]);
  });

  it("a used port is one clear error that names it", async () => {
    const server = await TestServer.start();
    const attempt = serveEngines({
      engines: [],
      dataDirectory: await temporaryDirectory(),
      host: "127.0.0.1",
      port: server.running.port,
      apiKey: undefined,
      clock: systemClock,
      logger: silentLogger,
      randomSeed: () => 0,
      limits: DEFAULT_LIMITS,
    });
    await expect(attempt).rejects.toMatchObject({
      code: "validation_failed",
      message: `Port ${server.running.port} on 127.0.0.1 is in use: end the program that has it, choose another port, or leave port out for a free one.`,
    });
  });
});
