import { readdir } from "node:fs/promises";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { DataLayout } from "../disk/data-layout.js";
import { lockDirectory } from "../lock/lock-directory.js";
import type { ProcessTable } from "../lock/process-table.js";
import { SetClock } from "../testing/set-clock.js";
import { passBody } from "../testing/test-client.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
/** For what happens in real time, on a machine of any speed. */
const PATIENCE = { timeout: 15_000 };
const JUMPS = [
  ["five hours forward", 5 * HOUR_MS],
  ["five hours back", -5 * HOUR_MS],
] as const;

async function setUp(options: TestServerOptions = {}) {
  const clock = new SetClock(START_MS);
  const dataDirectory = temporaryDirectory();
  const server = await TestServer.start({ clock, dataDirectory, ...options });
  const sessionId = await server.createSession();
  const modelId = await server.createModel(sessionId);
  const save = async (seqId: number, name: string, ttlSeconds?: number) => {
    const body = { model_id: modelId, path: name, seq_id: seqId, ttl_seconds: ttlSeconds };
    expect(await server.run("/save_weights", body)).toMatchObject({ path: expect.stringContaining(name) });
  };
  const folders = async () =>
    (await readdir(new DataLayout(dataDirectory).checkpoints(modelId, "weights"))).sort();
  return { clock, server, sessionId, modelId, save, folders };
}

describe.each(JUMPS)("when the time of day is set %s", (_, jumpMs) => {
  it("results stay as long as they would have, and go when that is over", async () => {
    const { clock, server, modelId } = await setUp();
    const unfetched = await server.submit("/forward_backward", passBody(modelId, 1));
    const fetched = await server.submit("/forward_backward", passBody(modelId, 2));
    await server.retrieve(fetched);
    clock.set(jumpMs);
    for (const id of [unfetched, fetched])
      expect(await server.retrieve(id)).toMatchObject({ loss_fn_outputs: expect.any(Array) });
    await clock.inner.advance(299_999);
    expect(await server.retrieve(fetched)).toMatchObject({ loss_fn_outputs: expect.any(Array) });
    await clock.inner.advance(300_000);
    expect((await server.post("/retrieve_future", { request_id: fetched })).status).toBe(410);
  });

  it("a session is as alive as before, and silent after a minute of silence", async () => {
    const { clock, server, sessionId } = await setUp();
    const { sessions } = server.running.state;
    clock.set(jumpMs);
    expect(sessions.isSilent(sessions.look(sessionId))).toBe(false);
    await clock.inner.advance(59_999);
    expect(sessions.isSilent(sessions.look(sessionId))).toBe(false);
    await clock.inner.advance(1);
    expect(sessions.isSilent(sessions.look(sessionId))).toBe(true);
    expect((await server.post("/session_heartbeat", { session_id: sessionId })).status).toBe(200);
  });

  it("a poll is held no longer, and a number that is missing is waited for as long", async () => {
    const { clock, server, modelId } = await setUp({ limits: { gapTimeoutMs: 1_000, holdMs: 500 } });
    const late = await server.submit("/forward_backward", passBody(modelId, 2));
    const poll = server.post("/retrieve_future", { request_id: late });
    await expect.poll(() => clock.inner.sleeping, PATIENCE).toBe(2);
    clock.set(jumpMs);
    await clock.inner.advance(499);
    expect(clock.inner.sleeping).toBe(2);
    await clock.inner.advance(1);
    expect((await poll).status).toBe(408);
    await server.submit("/forward_backward", passBody(modelId, 1));
    expect(await server.retrieve(late)).toMatchObject({ loss_fn_outputs: expect.any(Array) });
  });

  it("keeps what has no end, and what is acknowledged later", async () => {
    const { clock, save, folders, server, modelId } = await setUp();
    await save(1, "kept");
    clock.set(jumpMs);
    await save(2, "later");
    await clock.inner.advance(60_000);
    expect(await folders()).toEqual(["kept", "later"]);
    const listed = (await server.get(`/training_runs/${modelId}/checkpoints`)).body.checkpoints;
    expect(listed).toHaveLength(2);
  });

  it("the timeline of a session shows no work that ended before it began", async () => {
    const { clock, server, sessionId, modelId } = await setUp();
    const open = server.engine.hold();
    const pass = await server.submit("/forward_backward", passBody(modelId, 1));
    await expect.poll(() => server.engine.calls.at(-1), PATIENCE).toContain("forward_backward");
    clock.set(jumpMs);
    await clock.inner.advance(250);
    open();
    await server.retrieve(pass);
    const span = server.running.state.sessions.timeline.of(sessionId).at(-1);
    expect(span).toMatchObject({ submittedAtMs: START_MS, endedAtMs: START_MS + 250 });
  });

  it("the holder of a directory keeps it, and a second server is told so", async () => {
    const folder = temporaryDirectory();
    const clock = new SetClock(START_MS);
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const identity = (host: string) => ({ host, bootId: "b", pidNamespace: "n", pid: 1, startedAt: "1" });
    const processes = (host: string): ProcessTable => ({ self: identity(host), lookUp: () => "gone" });
    const first = await lockDirectory(folder, "d", { clock, logger, processes: processes("one") });
    await expect.poll(() => clock.inner.sleepingInBackground, PATIENCE).toBe(1);
    clock.set(jumpMs);
    // Its last heartbeat seems hours away, so that the second one watches for another.
    const second = lockDirectory(folder, "d", { clock, logger, processes: processes("two") });
    const refused = expect(second).rejects.toThrow(/is in use by/);
    await expect.poll(() => clock.inner.sleeping, PATIENCE).toBe(1);
    await clock.inner.advance(5_000);
    await expect.poll(() => clock.inner.sleepingInBackground, PATIENCE).toBe(1);
    await clock.inner.advance(5_000);
    await refused;
    expect(first.lost.aborted).toBe(false);
    await first.release();
  });
});

describe("a checkpoint with an end", () => {
  it("goes within a minute after the time of day was set behind that end", async () => {
    const { clock, save, folders } = await setUp();
    await save(1, "short", 2 * 3_600);
    await save(2, "long", 10 * 3_600);
    clock.set(5 * HOUR_MS);
    await clock.inner.advance(60_000);
    await expect.poll(folders, PATIENCE).toEqual(["long"]);
  });

  it("stays until its end by the time of day, which was set back", async () => {
    const { clock, save, folders, server, modelId } = await setUp();
    await save(1, "short", 60);
    clock.set(-HOUR_MS);
    await clock.inner.advance(120_000);
    expect(await folders()).toEqual(["short"]);
    expect((await server.get(`/training_runs/${modelId}/checkpoints`)).body.checkpoints).toHaveLength(1);
    clock.set(HOUR_MS);
    await clock.inner.advance(60_000);
    await expect.poll(folders, PATIENCE).toEqual([]);
  });
});
