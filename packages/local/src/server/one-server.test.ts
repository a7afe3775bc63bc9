import { spawnSync } from "node:child_process";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, type TestContext } from "vitest";
import { ServerProcess } from "../testing/server-process.js";
import type { TestClient } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";
import { openDataDirectory } from "./data-directory.js";

/** Makes sampling sessions whose adapters wait on disk, and returns their ids. */
async function park(client: TestClient, count: number): Promise<string[]> {
  const model_id = await client.createModel();
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = { model_id, sampling_session_seq_id: number, seq_id: number + 1 };
    ids.push(String((await client.run("/save_weights_for_sampler", body)).sampling_session_id));
  }
  return ids;
}

async function sampleFrom(client: TestClient, sampling_session_id: string): Promise<unknown> {
  return client.run("/asample", {
    sampling_session_id,
    seq_id: 0,
    prompt: { chunks: [{ tokens: [1, 2] }] },
    sampling_params: { max_tokens: 1 },
  });
}

/** Number of adapters that wait on disk, whatever server they belong to. */
async function parkedIn(dataDirectory: string): Promise<number> {
  const entries = await readdir(join(dataDirectory, "parked"), { recursive: true });
  return entries.filter((path) => path.endsWith("adapter.json")).length;
}

describe("a data directory", () => {
  it("has one server at a time: a second start is refused, and changes nothing", async () => {
    const dataDirectory = temporaryDirectory();
    const server = await TestServer.start({ dataDirectory, limits: { idleSamplers: 0 } });
    const samplers = await park(server, 8);
    await expect.poll(() => parkedIn(dataDirectory)).toBe(8);
    const second = TestServer.start({ dataDirectory });
    await expect(second).rejects.toThrow(ValidationError);
    await expect(second).rejects.toThrow(
      `in use by the server at ${server.url} (process ${process.pid} on host`,
    );
    expect(await parkedIn(dataDirectory)).toBe(8);
    for (const id of samplers) expect(await sampleFrom(server, id)).toMatchObject({ type: "sample" });
    await server.running.close();
    await TestServer.start({ dataDirectory });
  });

  it("has one server at a time by whatever path it is reached", async () => {
    const root = temporaryDirectory();
    await mkdir(join(root, "data"));
    await symlink(join(root, "data"), join(root, "link"));
    await TestServer.start({ dataDirectory: join(root, "data") });
    await expect(TestServer.start({ dataDirectory: join(root, "link") })).rejects.toThrow("in use by");
    await expect(TestServer.start({ dataDirectory: join(root, "data", "..", "data") })).rejects.toThrow(
      "in use by",
    );
  });

  it("closes the server that another one has followed, and leaves the other's work alone", async () => {
    const dataDirectory = temporaryDirectory();
    const [clock, errors] = [new FakeClock({ startMs: 1_800_000_000_000 }), [] as string[]];
    const note = (message: string) => void errors.push(message);
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: note };
    const first = await TestServer.start({ dataDirectory, clock, logger });
    // A day passes elsewhere, while the first server stands still.
    const elsewhere = new FakeClock({ startMs: 1_800_000_000_000 });
    await elsewhere.advance(86_400_000);
    const processes = { self: { host: "other", pid: 1 }, lookUp: () => "gone" as const };
    const opening = openDataDirectory(dataDirectory, { clock: elsewhere, logger, processes });
    await expect.poll(() => elsewhere.sleeping).toBe(1);
    await elsewhere.advance(10_000);
    const taken = await opening;
    await clock.advance(5000);
    await expect.poll(() => errors).toEqual([expect.stringContaining("no longer this server's")]);
    await expect.poll(() => first.get("/healthz").catch(() => "closed")).toBe("closed");
    expect(taken.lock.lost.aborted).toBe(false);
    await taken.close();
  });
});

describe("servers in processes of their own", () => {
  it("start at once on the directory of one that was killed, and clean up after it", async () => {
    const dataDirectory = temporaryDirectory();
    const killed = await ServerProcess.on(dataDirectory);
    await park(killed.client(), 3);
    await expect.poll(() => parkedIn(dataDirectory)).toBe(3);
    await killed.end("SIGKILL");
    expect(await parkedIn(dataDirectory)).toBe(3);
    await TestServer.start({ dataDirectory });
    expect(await parkedIn(dataDirectory)).toBe(0);
  });

  it("end by themselves once closed: the heartbeat does not keep them", async () => {
    const dataDirectory = temporaryDirectory();
    const server = await ServerProcess.on(dataDirectory);
    await expect(TestServer.start({ dataDirectory })).rejects.toThrow(
      /in use by the server at http.*process \d+ on/,
    );
    await server.end("SIGTERM");
    await TestServer.start({ dataDirectory });
  });

  it("do not harm each other where they share no process ids, as in two containers on one volume", async (context) => {
    const container = requireUnshare(context);
    const dataDirectory = temporaryDirectory();
    const first = await ServerProcess.on(dataDirectory, container);
    expect(first.start).toMatchObject({ pid: 1 });
    const samplers = await park(first.client(), 8);
    await expect.poll(() => parkedIn(dataDirectory)).toBe(8);
    const others = await Promise.all(
      [container, []].map((wrapper) => ServerProcess.on(dataDirectory, wrapper)),
    );
    for (const { start } of others) {
      expect(start).toMatchObject({
        name: "ValidationError",
        error: expect.stringMatching(/in use by the server at http:.*\(process 1 on host ".*", since .*\)/),
      });
    }
    expect(await parkedIn(dataDirectory)).toBe(8);
    for (const id of samplers) expect(await sampleFrom(first.client(), id)).toMatchObject({ type: "sample" });
  });
});

/** The command that starts a program among process ids of its own. */
function requireUnshare(context: TestContext): readonly string[] {
  const command = ["unshare", "--pid", "--fork", "--kill-child"];
  const [file = "", ...args] = command;
  if (spawnSync(file, [...args, "true"]).status !== 0) context.skip("unshare --pid is not permitted here");
  return command;
}
