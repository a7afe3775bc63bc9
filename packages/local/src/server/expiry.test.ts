import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { FakeClock, settle } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { DataLayout } from "../disk/data-layout.js";
import { TestServer } from "../testing/test-server.js";

const START_MS = 1_800_000_000_000;

/** Names of the folders of a run's checkpoints, read from the disk: no server is asked. */
async function foldersOf(dataDirectory: string, runId: string): Promise<string[]> {
  const run = new DataLayout(dataDirectory).run(runId);
  const kinds = await Promise.all(
    ["weights", "sampler_weights"].map((kind) => readdir(join(run, kind)).catch(() => [])),
  );
  return kinds.flat().sort();
}

async function setUp() {
  const dataDirectory = temporaryDirectory();
  const clock = new FakeClock({ startMs: START_MS });
  const server = await TestServer.start({ dataDirectory, clock });
  const model_id = await server.createModel();
  let seq_id = 0;
  const save = async (name: string, ttl_seconds?: number, overwrite = false) => {
    seq_id += 1;
    const path = seq_id % 2 === 0 ? "/save_weights" : "/save_weights_for_sampler";
    const rest = path === "/save_weights" ? { overwrite } : {};
    const saved = await server.run(path, { model_id, path: name, seq_id, ttl_seconds, ...rest });
    expect(saved.path, JSON.stringify(saved)).toContain(name);
  };
  const folders = () => foldersOf(dataDirectory, model_id);
  return { dataDirectory, clock, server, model_id, save, folders };
}

describe("a checkpoint whose time is over", () => {
  it("is removed at that time, though nobody lists it, and no other is", async () => {
    const { clock, save, folders } = await setUp();
    for (const [name, seconds] of [
      ["a", 1],
      ["b", 1],
      ["later", 5],
      ["kept", undefined],
    ] as const)
      await save(name, seconds);
    await clock.advance(999);
    expect(await folders()).toEqual(["a", "b", "kept", "later"]);
    await clock.advance(1);
    await expect.poll(folders).toEqual(["kept", "later"]);
    // One that comes meanwhile and expires before those that wait.
    await save("sooner", 1);
    await clock.advance(1000);
    await expect.poll(folders).toEqual(["kept", "later"]);
    await clock.advance(3_000);
    await expect.poll(folders).toEqual(["kept"]);
    await clock.advance(365 * 86_400_000);
    expect(await folders()).toEqual(["kept"]);
  });

  it("is removed by the next server: at its start, or at the time if that comes later", async () => {
    const { clock, dataDirectory, save, folders, server } = await setUp();
    for (const [name, seconds] of [
      ["a", 1],
      ["b", 60],
      ["kept", undefined],
    ] as const)
      await save(name, seconds);
    await server.running.close();
    await clock.advance(2_000);
    expect(await folders()).toEqual(["a", "b", "kept"]);
    await TestServer.start({ dataDirectory, clock });
    await expect.poll(folders).toEqual(["b", "kept"]);
    await clock.advance(57_999);
    expect(await folders()).toEqual(["b", "kept"]);
    await clock.advance(1);
    await expect.poll(folders).toEqual(["kept"]);
  });

  it("lives as long as the one that replaced it", async () => {
    const { clock, save, folders } = await setUp();
    await save("first");
    await save("x", 10);
    await save("other");
    await save("x", 30, true);
    await clock.advance(10_000);
    await settle();
    expect(await folders()).toEqual(["first", "other", "x"]);
    await clock.advance(20_000);
    await expect.poll(folders).toEqual(["first", "other"]);
  });

  it.each([0, -1, 3_153_600_001, 1e300])(
    "is refused where that time is %s seconds away",
    async (ttl_seconds) => {
      const { server, model_id, folders } = await setUp();
      expect(
        await server.run("/save_weights", { model_id, path: "x", seq_id: 1, ttl_seconds }),
      ).toMatchObject({
        category: "user",
        error: expect.stringContaining(
          `ttl_seconds must be above 0 and at most 3153600000, got ${ttl_seconds}`,
        ),
      });
      expect(await folders()).toEqual([]);
    },
  );

  it("leaves copies that were made by hand alone, and what is no checkpoint", async () => {
    const { clock, dataDirectory, model_id, save, folders } = await setUp();
    await save("mine", 1);
    const folder = new DataLayout(dataDirectory).checkpoints(model_id, "sampler_weights");
    await cp(join(folder, "mine"), join(folder, "mine-copy"), { recursive: true });
    await clock.advance(1_000);
    await expect.poll(folders).toEqual(["mine-copy"]);
    await clock.advance(600_000);
    expect(await readdir(join(folder, "mine-copy"))).toContain("checkpoint.json");
  });
});

describe("the life of a checkpoint that is there", () => {
  it("is given an end, another one, and none again", async () => {
    const { clock, server, model_id, save, folders } = await setUp();
    await save("a");
    await save("b");
    const put = async (kind: string, name: string, body: unknown) =>
      (
        await server.fetch("PUT", `/training_runs/${model_id}/checkpoints/${kind}/${name}/ttl`, {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        })
      ).status;
    expect(await put("sampler_weights", "a", { ttl_seconds: 60 })).toBe(204);
    const [, first] = (await server.get("/checkpoints")).body.checkpoints as { expires_at?: string }[];
    expect(first?.expires_at).toBe(new Date(clock.now() + 60_000).toISOString());
    expect(await put("sampler_weights", "a", { ttl_seconds: null })).toBe(204);
    expect(await put("weights", "b", { ttl_seconds: 1 })).toBe(204);
    for (const wrong of [0, -5, 1.5, "x", 1e12]) {
      expect(await put("weights", "b", { ttl_seconds: wrong }), String(wrong)).toBe(422);
    }
    expect(await put("weights", "none", { ttl_seconds: 1 })).toBe(404);
    await clock.advance(1_000);
    await expect.poll(folders).toEqual(["a"]);
    await clock.advance(100_000);
    expect(await folders()).toEqual(["a"]);
  });

  it("endpoints 4: is made public and private once each, by requests without a body", async () => {
    const { server, model_id, save } = await setUp();
    await save("a");
    const path = `/training_runs/${model_id}/checkpoints/sampler_weights/a/publish`;
    const headers = { "content-type": "application/json" };
    const isPublic = async () =>
      ((await server.get("/checkpoints")).body.checkpoints as { public: boolean }[])[0]?.public;
    expect((await server.fetch("POST", path, { headers })).status).toBe(204);
    expect(await isPublic()).toBe(true);
    expect((await server.fetch("POST", path, { headers })).status).toBe(409);
    expect((await server.fetch("DELETE", path, { headers })).status).toBe(204);
    expect(await isPublic()).toBe(false);
    expect((await server.fetch("DELETE", path, { headers })).status).toBe(409);
  });
});
