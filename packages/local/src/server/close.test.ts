import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger, systemClock } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemProcesses } from "../lock/process-table.js";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { TestClient } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";
import { openDataDirectory } from "./data-directory.js";
import { DEFAULT_LIMITS } from "./limits.js";
import { serveEngines } from "./serve-engines.js";
import { startLocalServer } from "./start-local-server.js";

async function filesBelow(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("server-lock"))
    .map((entry) => entry.name)
    .sort();
}

async function openNewDirectory() {
  const surroundings = { clock: systemClock, logger: silentLogger, processes: systemProcesses() };
  const data = await openDataDirectory(temporaryDirectory(), surroundings);
  onTestFinished(() => data.close());
  return data;
}

const tiny = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};

/** Entries in the folders of unfinished saves and of replaced checkpoints, whatever the run. */
async function unfinishedBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true });
  return entries.filter((path) => /(^|[\\/])(staging|retired)[\\/]/.test(path));
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, "127.0.0.1");
    probe.on("error", () => resolve(false));
    probe.on("connect", () => {
      probe.destroy();
      resolve(true);
    });
  });
}

describe("close", () => {
  it("fails the running job cleanly, answers its poll, and frees the port at once", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    server.engine.hold();
    const running = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const waiting = await server.submit("/optim_step", { model_id: model, seq_id: 2 });
    const polls = [server.retrieve(running), server.retrieve(waiting)];
    await new Promise((resolve) => setTimeout(resolve, 30));
    // A poll that were not answered would be held for 20 s, and then told to try again.
    await Promise.all([server.running.close(), server.running.close()]);
    expect(await Promise.all(polls)).toEqual([
      { error: "the engine is closed; start the server again", category: "server" },
      {
        error: "the server was closed before this operation ran; start it again and submit again",
        category: "server",
      },
    ]);
    expect(server.engine.calls.filter((call) => call === "close")).toHaveLength(1);
    const again = await serveEngines({
      standIn: undefined,
      engines: [new ScriptedEngine()],
      data: await openNewDirectory(),
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

  it("frees port and directory although an engine cannot be closed, and tells why", async () => {
    class HangingEngine extends ScriptedEngine {
      override async close(): Promise<void> {
        throw new Error("the thread hangs");
      }
    }
    const data = await openNewDirectory();
    const running = await serveEngines({
      standIn: undefined,
      engines: [new HangingEngine()],
      data,
      host: "127.0.0.1",
      port: 0,
      apiKey: undefined,
      clock: systemClock,
      logger: silentLogger,
      randomSeed: () => 1,
      limits: DEFAULT_LIMITS,
    });
    await expect(running.close()).rejects.toThrow("the thread hangs");
    expect(await isListening(running.port)).toBe(false);
    const next = await TestServer.start({ dataDirectory: data.layout.root });
    expect(await next.get("/healthz")).toMatchObject({ status: 200 });
  });

  it("leaves nothing of a checkpoint that was being saved", async () => {
    const dataDirectory = temporaryDirectory();
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

  it("the real engine leaves nothing of a save either, wherever it was interrupted", {
    timeout: 60_000,
  }, async () => {
    const dataDirectory = temporaryDirectory();
    const unfinished: string[][] = [];
    const outcomes = new Set<boolean>();
    for (const delayMs of [0, 5, 10, 20, 40]) {
      const server = await startLocalServer({ models: [tiny], threads: 1, dataDirectory });
      const client = new TestClient(server.url, tiny.name);
      // Large enough that writing it takes a while.
      const model = await client.createModel(undefined, 0, { lora_config: { rank: 512 } });
      const save = (seq_id: number) => ({ model_id: model, path: "x", overwrite: true, seq_id });
      await client.run("/save_weights", save(1));
      const answer = client.retrieve(await client.submit("/save_weights", save(2)));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await server.close();
      outcomes.add("error" in (await answer.catch(() => ({ error: "cut off" }))));
      unfinished.push(await unfinishedBelow(dataDirectory));
    }
    expect(outcomes).toContain(true);
    expect(unfinished).toEqual([[], [], [], [], []]);
  });

  // Under load a poll may reach the server only after it has begun to close.
  it("answers a poll that arrives while it closes with the reason, not with 503", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    server.engine.hold();
    const request_id = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const body = JSON.stringify({ request_id });
    const late = connect(server.running.port, "127.0.0.1");
    onTestFinished(() => void late.destroy());
    let answer = "";
    late.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    // Begun before the server closes, so that its connection stands, and complete only while it does.
    late.write(
      `POST /api/v1/retrieve_future HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = server.running.close();
    await expect.poll(() => isListening(server.running.port), { interval: 5, timeout: 3000 }).toBe(false);
    late.write(`\r\n${body}`);
    await once(late, "close");
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain("the engine is closed; start the server again");
  });

  it("a used port is one clear error that names it", async () => {
    const server = await TestServer.start();
    const attempt = serveEngines({
      standIn: undefined,
      engines: [],
      data: await openNewDirectory(),
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
      message: `port ${server.running.port} on 127.0.0.1 is in use: end the program that has it, choose another port, or leave port out for a free one`,
      path: ["port"],
      cause: { code: "EADDRINUSE" },
    });
  });
});
