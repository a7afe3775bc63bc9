import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { silentLogger } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

interface Scene {
  readonly server: TestServer;
  readonly run: string;
  /** Folder of the run, and of its checkpoint `a`. */
  readonly runFolder: string;
  readonly a: string;
  /** A folder beside the data directory, with one file. */
  readonly outside: string;
  readonly warnings: readonly string[];
}

/** A server that saved the checkpoint `a`, and a folder beside its data directory that must stay as it is. */
async function openScene(): Promise<Scene> {
  const root = temporaryDirectory();
  const outside = join(root, "elsewhere");
  await mkdir(outside);
  await writeFile(join(outside, "photo"), "dear");
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const dataDirectory = join(root, "data");
  await mkdir(dataDirectory);
  const server = await TestServer.start({ dataDirectory, logger });
  const run = await server.createModel();
  await server.run("/save_weights", { model_id: run, path: "a", seq_id: 1 });
  const runFolder = join(dataDirectory, "runs", encodeURIComponent(run));
  return { server, run, runFolder, a: join(runFolder, "weights", "a"), outside, warnings };
}

async function changeRecord(folder: string, change: object): Promise<void> {
  const file = join(folder, "checkpoint.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...change }));
}

async function listedNames(server: TestServer): Promise<unknown[]> {
  const { status, body } = await server.get("/checkpoints");
  expect(status).toBe(200);
  return (body.checkpoints as { checkpoint_id: string }[])
    .map(({ checkpoint_id: id }) => basename(id))
    .sort();
}

const remove = async ({ server, run }: Scene, name: string) =>
  (await server.fetch("DELETE", `/training_runs/${run}/checkpoints/weights/${name}`)).status;

describe("a checkpoint's folder that was copied", () => {
  it("can be deleted, or not, but never takes its original with it", async () => {
    const scene = await openScene();
    await cp(scene.a, `${scene.a}-backup`, { recursive: true });
    expect(await listedNames(scene.server)).toEqual(["a"]);
    expect(await remove(scene, "a-backup")).toBe(404);
    expect(await listedNames(scene.server)).toEqual(["a"]);
    expect(await readdir(join(scene.runFolder, "weights"))).toEqual(["a", "a-backup"]);
    await scene.server.get("/checkpoints");
    expect(scene.warnings).toEqual([
      expect.stringMatching(/a-backup.checkpoint\.json.*name must be "a-backup".*passed over/),
    ]);
  });

  it("counts as a checkpoint again once its record bears its name", async () => {
    const scene = await openScene();
    await cp(scene.a, `${scene.a}-backup`, { recursive: true });
    await changeRecord(`${scene.a}-backup`, { name: "a-backup" });
    expect(await listedNames(scene.server)).toEqual(["a", "a-backup"]);
    expect(await remove(scene, "a-backup")).toBe(204);
    expect(await listedNames(scene.server)).toEqual(["a"]);
  });

  it("does not expire in its original's stead", async () => {
    const scene = await openScene();
    await cp(scene.a, `${scene.a}-backup`, { recursive: true });
    await changeRecord(`${scene.a}-backup`, { expires_at: "2020-01-02T00:00:00Z" });
    expect(await listedNames(scene.server)).toEqual(["a"]);
    expect(await readdir(join(scene.runFolder, "weights"))).toEqual(["a", "a-backup"]);
  });

  it("is neither read from nor saved over", async () => {
    const scene = await openScene();
    const { server, run, runFolder } = scene;
    await cp(scene.a, `${scene.a}-backup`, { recursive: true });
    const session_id = await server.createSession();
    const path = `tinker://${run}/weights/a-backup`;
    expect(await server.run("/load_weights", { session_id, model_seq_id: 0, path })).toMatchObject({
      category: "user",
    });
    for (const [seq_id, overwrite] of [
      [2, false],
      [3, true],
    ]) {
      const save = { model_id: run, path: "a-backup", seq_id, overwrite };
      expect(await server.run("/save_weights", save)).toEqual({
        error: expect.stringMatching(/a-backup.*choose another name/),
        category: "user",
      });
    }
    expect(await readFile(join(runFolder, "weights", "a-backup", "checkpoint.json"), "utf8")).toContain(
      '"name": "a"',
    );
  });

  it("is passed over with all it holds when it is a whole run", async () => {
    const scene = await openScene();
    await cp(scene.runFolder, `${scene.runFolder}-copy`, { recursive: true });
    const { body } = await scene.server.get("/training_runs");
    expect(body).toMatchObject({
      training_runs: [{ training_run_id: scene.run }],
      cursor: { total_count: 1 },
    });
    expect(await listedNames(scene.server)).toEqual(["a"]);
  });
});

describe("a record that names another place", () => {
  const past = "2020-01-02T00:00:00Z";
  it.each([
    ["a folder outside, as its name", { name: "../../../../elsewhere", expires_at: past }],
    ["a folder outside, as its kind", { kind: "../../../elsewhere", expires_at: past }],
    ["a folder outside, as its run", { training_run_id: "../../elsewhere", expires_at: past }],
    ["a checkpoint of another kind", { kind: "sampler_weights", expires_at: past }],
  ])("has no effect there: %s", async (_, change) => {
    const scene = await openScene();
    await changeRecord(scene.a, change);
    expect(await listedNames(scene.server)).toEqual([]);
    expect(await remove(scene, "a")).toBe(404);
    const tinker_path = `tinker://${scene.run}/weights/a`;
    expect(await scene.server.post("/weights_info", { tinker_path })).toMatchObject({ status: 404 });
    const session = { session_id: await scene.server.createSession(), sampling_session_seq_id: 0 };
    expect(
      await scene.server.post("/create_sampling_session", { ...session, model_path: tinker_path }),
    ).toMatchObject({ status: 404 });
    expect(await readFile(join(scene.outside, "photo"), "utf8")).toBe("dear");
    expect(await readdir(scene.a)).toContain("checkpoint.json");
  });
});

describe("a date that cannot be read", () => {
  it.each(["garbage", 0, 17, "1", "2020", "", null, {}, ["2020-01-01T00:00:00Z"], "2020-13-45T00:00:00Z"])(
    "is no expiry: %j",
    async (expires_at) => {
      const scene = await openScene();
      await changeRecord(scene.a, { expires_at });
      expect(await listedNames(scene.server)).toEqual(["a"]);
      expect(await readdir(scene.a)).toContain("checkpoint.json");
    },
  );

  it("is an expiry when it can be read", async () => {
    const scene = await openScene();
    await changeRecord(scene.a, { expires_at: "2020-01-02T00:00:00+02:00" });
    expect(await listedNames(scene.server)).toEqual([]);
    expect(await readdir(join(scene.runFolder, "weights"))).toEqual([]);
  });
});

describe("a record of a wrong form", () => {
  const texts: readonly (readonly [string, string])[] = [
    ...["null", "{}", "[]", "7", '"a"', "", "{", '{"training_run_id":', "\u0000", '{"name":{"a":1}}'].map(
      (text) => [JSON.stringify(text), text] as const,
    ),
    ["a deep list", "[".repeat(100_000) + "]".repeat(100_000)],
    ["a large one", JSON.stringify({ name: "x".repeat(5 * 2 ** 20) })],
  ];

  it.each(texts)("is passed over with one warning: checkpoint.json %s", async (_, text) => {
    const { server, run, a, warnings } = await openScene();
    await writeFile(join(a, "checkpoint.json"), text);
    for (let time = 0; time < 2; time++) expect(await listedNames(server)).toEqual([]);
    expect(await server.get("/training_runs")).toMatchObject({ status: 200 });
    expect(await server.get(`/training_runs/${run}`)).toMatchObject({ status: 200 });
    const tinker_path = `tinker://${run}/weights/a`;
    expect(await server.post("/weights_info", { tinker_path })).toMatchObject({ status: 404 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("checkpoint.json");
  });

  it.each(texts)("is passed over with one warning: run.json %s", async (_, text) => {
    const { server, run, runFolder, warnings } = await openScene();
    await writeFile(join(runFolder, "run.json"), text);
    for (let time = 0; time < 2; time++) {
      expect(await server.get("/training_runs")).toMatchObject({ status: 200, body: { training_runs: [] } });
    }
    expect(await server.get(`/training_runs/${run}`)).toMatchObject({ status: 404 });
    expect(await listedNames(server)).toEqual(["a"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("run.json");
  });

  it.each([
    ["rank as text", { shape: { rank: "4", trainAttention: true, trainMlp: true, trainUnembedding: true } }],
    ["no shape", { shape: null }],
    ["a date that is none", { created_at: 5 }],
    ["metadata that is no text", { user_metadata: { a: { b: 1 } } }],
    ["a model that is no text", { base_model: ["x"] }],
    ["a size below zero", { size_bytes: -1 }],
  ])("is passed over for one field: %s", async (_, change) => {
    const { server, a } = await openScene();
    await changeRecord(a, change);
    expect(await listedNames(server)).toEqual([]);
    expect(await server.get("/training_runs")).toMatchObject({ status: 200 });
  });

  it("does not show what it holds in the warning", async () => {
    const { server, a, runFolder, warnings } = await openScene();
    await writeFile(join(a, "checkpoint.json"), '{"base_model": secret \u001b]0;owned\u0007');
    const runFile = join(runFolder, "run.json");
    const run = JSON.parse(await readFile(runFile, "utf8"));
    await writeFile(runFile, JSON.stringify({ ...run, user_metadata: { "\u001b[2J\u009bkey": 1 } }));
    await listedNames(server);
    await server.get("/training_runs");
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain("key");
    expect(warnings.join()).not.toMatch(/secret|\p{C}/u);
  });
});

describe("symbolic links in the data directory", () => {
  it.each(["checkpoint", "record", "kind", "run"])("are not followed: the %s", async (what) => {
    const scene = await openScene();
    const { server, run, a, runFolder, outside } = scene;
    const linked = {
      checkpoint: a,
      record: join(a, "checkpoint.json"),
      kind: join(runFolder, "weights"),
      run: runFolder,
    }[what];
    expect(linked).toBeDefined();
    const moved = join(outside, "moved");
    await rename(String(linked), moved);
    await symlink(moved, String(linked));
    expect(await listedNames(server)).toEqual([]);
    expect(await remove(scene, "a")).toBe(404);
    const session_id = await server.createSession();
    const load = { session_id, model_seq_id: 0, path: `tinker://${run}/weights/a` };
    expect(await server.run("/load_weights", load)).toMatchObject({ category: "user" });
    expect(await server.get("/training_runs")).toMatchObject({ status: 200 });
    expect(await readdir(outside)).toEqual(["moved", "photo"]);
  });

  it("lead nobody out of it who saves or deletes", async () => {
    const scene = await openScene();
    const { server, run, runFolder, outside } = scene;
    const staging = join(runFolder, "staging");
    await rename(staging, join(runFolder, "old-staging"));
    await symlink(outside, staging);
    expect(await server.run("/save_weights", { model_id: run, path: "b", seq_id: 2 })).toMatchObject({
      error: expect.stringMatching(/staging must be a directory, got a symbolic link.*: move it away/),
      category: "server",
    });
    expect(await remove(scene, "a")).toBe(500);
    expect(await listedNames(server)).toEqual(["a"]);
    await changeRecord(scene.a, { expires_at: "2020-01-02T00:00:00Z" });
    expect(await listedNames(server)).toEqual([]);
    expect(await readdir(outside)).toEqual(["photo"]);
  });

  it("may form a ring", async () => {
    const { server, run, runFolder } = await openScene();
    await symlink(join(runFolder, "sampler_weights"), join(runFolder, "sampler_weights"));
    await symlink(join(runFolder, "..", "ring"), join(runFolder, "..", "ring"));
    expect(await listedNames(server)).toEqual(["a"]);
    expect(await server.get("/training_runs")).toMatchObject({ status: 200 });
    expect(await server.get(`/training_runs/${run}`)).toMatchObject({ status: 200 });
  });
});

describe("names", () => {
  it("of runs that would be too long for a folder are of runs that are not there", async () => {
    const { server } = await openScene();
    const run = `x${":".repeat(199)}`;
    expect(await server.get(`/training_runs/${run}`)).toMatchObject({ status: 404 });
    expect(await server.post("/weights_info", { tinker_path: `tinker://${run}/weights/a` })).toMatchObject({
      status: 404,
    });
  });

  it("of folders that only decode to the name of a run are not of that run", async () => {
    const { server, run, runFolder } = await openScene();
    await cp(runFolder, join(runFolder, "..", run.replace("t", "%74").replaceAll(":", "%3A")), {
      recursive: true,
    });
    expect(await listedNames(server)).toEqual(["a"]);
    expect(await server.get("/training_runs")).toMatchObject({ body: { cursor: { total_count: 1 } } });
  });
});
