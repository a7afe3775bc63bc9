import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { silentLogger, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { TestClient } from "../testing/test-client.js";
import { startTestServer } from "./start-test-server.js";

const tiny = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};
const options = { models: [tiny], threads: 1 };

describe("startTestServer", () => {
  it("really trains, meets faults that come later too, and takes its directory away with what was saved", async () => {
    const server = await startTestServer({ ...options, onFinished: onTestFinished });
    const client = new TestClient(server.url, tiny.name);
    const model_id = await client.createModel();
    server.addFault({ endpoint: "save_weights", status: 503 });
    const save = { model_id, seq_id: 1, path: "a" };
    expect((await client.post("/save_weights", save)).status).toBe(503);
    expect(await client.run("/save_weights", save)).toHaveProperty("path");
    expect(server.requestsTo("save_weights").map(({ status }) => status)).toEqual([503, 200]);
    expect(server.requests.map(({ number }) => number)).toEqual(server.requests.map((_, index) => index + 1));
    await access(server.dataDirectory);
    await server.close();
    await expect(access(server.dataDirectory)).rejects.toThrow("ENOENT");
  });

  it("is closed by whatever ends the test, once, and leaves a directory of the caller's alone", async () => {
    const dataDirectory = temporaryDirectory();
    const closers: (() => Promise<void>)[] = [];
    await using server = await startTestServer({
      ...options,
      dataDirectory,
      onFinished: (close) => closers.push(close),
    });
    await Promise.all([...closers.map((close) => close()), server.close()]);
    await expect(fetch(server.url)).rejects.toThrow(TypeError);
    await access(dataDirectory);
  });

  it("leaves neither server nor directory where it cannot be had closed, as outside of a test", async () => {
    let close: (() => Promise<void>) | undefined;
    const lines: string[] = [];
    const logger = { ...silentLogger, info: (message: string) => void lines.push(message) };
    const onFinished = (given: () => Promise<void>) => {
      close = given;
      throw new Error("onTestFinished() can only be called inside a test");
    };
    await expect(startTestServer({ ...options, logger, onFinished })).rejects.toThrow("inside a test");
    const [, directory = ""] = lines[0]?.split("checkpoints in ") ?? [];
    expect(directory).toContain("tinkex-test-");
    await expect(access(directory)).rejects.toThrow("ENOENT");
    await close?.();
  });

  it.each<[object, string]>([
    [{ faults: [{ endpoint: "healthz" }] }, "faults[0] must say what happens"],
    [{ faults: 5 }, "faults"],
    [{ onFinished: 5 }, "onFinished"],
    [{ prot: 1 }, "prot"],
    [{ port: -1 }, "port must be"],
  ])("refuses %j before it starts anything", async (wrong, message) => {
    const starting = startTestServer({ ...options, ...wrong });
    await expect(starting).rejects.toThrow(ValidationError);
    await expect(starting).rejects.toThrow(message);
  });

  it("names its own options where one is misspelt", async () => {
    await expect(startTestServer({ fault: [] } as never)).rejects.toThrow(
      'the options of startTestServer: unknown field "fault", did you mean "faults"?',
    );
  });
});
