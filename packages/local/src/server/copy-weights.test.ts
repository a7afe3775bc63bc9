import { chmod, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";

async function saved(options: TestServerOptions = {}) {
  const dataDirectory = temporaryDirectory();
  const server = await TestServer.start({ ...options, dataDirectory });
  const model = await server.createModel();
  const body = { model_id: model, path: "a", seq_id: 1, user_metadata: { step: "3" } };
  await server.run("/save_weights", body);
  const source_path = `tinker://${model}/weights/a`;
  const copy = (more: object = {}, headers: Record<string, string> = {}) =>
    server.post("/copy_weights", { source_path, destination_project_id: "p", ...more }, headers);
  const folder = (path: string) => {
    const [run = "", ...rest] = path.replace("tinker://", "").split("/");
    return join(dataDirectory, "runs", encodeURIComponent(run), ...rest);
  };
  return { server, dataDirectory, model, source_path, copy, folder };
}

async function pathOf(answer: Promise<{ readonly status: number; readonly body: Record<string, unknown> }>) {
  const { status, body } = await answer;
  expect([status, body.detail]).toEqual([200, undefined]);
  return String(body.tinker_path);
}

describe("a copy of weights", () => {
  it("newest-wire 22: keeps kind, name and content, in a run of its own in its project, which the original's end leaves as it is", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const { server, dataDirectory, model, source_path, copy, folder } = await saved({ clock });
    const content = await readFile(join(folder(source_path), "adapter.json"), "utf8");
    const path = await pathOf(copy({ ttl_seconds: 3_600 }));
    const [run = ""] = path.replace("tinker://", "").split("/");
    expect(path).toBe(`tinker://${run}/weights/a`);
    expect(run).not.toBe(model);
    expect((await server.fetch("DELETE", `/training_runs/${model}/checkpoints/weights/a`)).status).toBe(204);
    await server.running.close();
    const next = await TestServer.start({ dataDirectory, clock });
    expect((await next.get(`/training_runs/${run}/checkpoints`)).body.checkpoints).toEqual([
      {
        checkpoint_id: "weights/a",
        checkpoint_type: "training",
        tinker_path: path,
        time: "2027-01-15T08:00:00.000Z",
        expires_at: "2027-01-15T09:00:00.000Z",
        public: false,
        size_bytes: content.length,
        user_metadata: { step: "3" },
      },
    ]);
    expect((await next.get("/training_runs?project_id=p")).body.training_runs).toMatchObject([
      { training_run_id: run, base_model: server.baseModel, lora_rank: 4 },
    ]);
    expect(await readFile(join(folder(path), "adapter.json"), "utf8")).toBe(content);
    const session_id = await next.createSession();
    const load = { session_id, model_seq_id: 0, path, optimizer: true };
    expect(await next.run("/load_weights", load)).toMatchObject({ path, model_id: `${session_id}:train:0` });
    // No session has trained it, and none can.
    expect(await next.post("/optim_step", { model_id: run, seq_id: 1 })).toMatchObject({ status: 404 });
  });

  it("may be made of every kind", async () => {
    const { server, model, copy } = await saved();
    await server.run("/save_weights_for_sampler", { model_id: model, path: "a", seq_id: 2 });
    await server.run("/save_weights_external", { model_id: model, path: "a", seq_id: 3 });
    for (const kind of ["weights", "sampler_weights", "external_weights"]) {
      const path = await pathOf(copy({ source_path: `tinker://${model}/${kind}/a` }));
      expect(path.endsWith(`/${kind}/a`)).toBe(true);
    }
  });

  it("is made once for all tries of one call, and once more for another call or after one that failed", async () => {
    const { server, model, copy, dataDirectory } = await saved();
    const key = (value: string) => ({ "x-idempotency-key": value });
    const tries = await Promise.all([1, 2, 3].map(() => pathOf(copy({}, key("k1")))));
    expect(new Set([...tries, await pathOf(copy({}, key("k1")))]).size).toBe(1);
    expect(await pathOf(copy({}, key("k2")))).not.toBe(tries[0]);
    expect(await pathOf(copy())).not.toBe(tries[0]);
    expect(await copy({ ttl_seconds: 5 }, key("k1"))).toMatchObject({ status: 409 });
    const later = { source_path: `tinker://${model}/weights/later` };
    expect(await copy(later, key("k3"))).toMatchObject({ status: 404 });
    await server.run("/save_weights", { model_id: model, path: "later", seq_id: 2 });
    expect(await pathOf(copy(later, key("k3")))).toMatch(/weights\/later$/);
    // The original's run, and one for each copy.
    expect(await readdir(join(dataDirectory, "runs"))).toHaveLength(5);
  });

  it("is private, and holds no links that somebody has put among the original's files", async () => {
    const { source_path, copy, folder } = await saved();
    await symlink("/etc/passwd", join(folder(source_path), "linked.json"));
    await chmod(join(folder(source_path), "adapter.json"), 0o644);
    const place = folder(await pathOf(copy()));
    expect((await readdir(place)).sort()).toEqual(["adapter.json", "checkpoint.json"]);
    if (process.platform === "win32") return;
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    expect((await stat(join(place, "adapter.json"))).mode & 0o777).toBe(0o600);
  });

  it("is refused where something is missing or wrong, and leaves nothing behind", async () => {
    const { copy, dataDirectory } = await saved();
    const refused: readonly (readonly [object, number, string])[] = [
      [{ destination_project_id: null }, 400, "destination_project_id"],
      [{ destination_project_id: "p".repeat(2_000) }, 400, "id of a project"],
      [{ destination_project_id: null, session_id: "s", model_seq_id: 0 }, 400, "load_weights"],
      [{ source_path: "tinker://none/weights/a" }, 404, "no checkpoint"],
      [{ source_path: "none" }, 400, "tinker://"],
      [{ source_path: "tinker://../weights/.." }, 404, "no checkpoint"],
      [{ ttl_seconds: 0 }, 422, "ttl_seconds"],
    ];
    for (const [body, status, words] of refused) {
      const answer = await copy(body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(words)]);
    }
    expect(await readdir(join(dataDirectory, "runs"))).toHaveLength(1);
  });

  it("that cannot be written leaves no run behind", async () => {
    const { server, copy, dataDirectory } = await saved();
    const { checkpoints } = server.running.state;
    const save = checkpoints.save.bind(checkpoints);
    checkpoints.save = async (checkpoint, write) =>
      save(checkpoint, async (directory) => {
        await write(directory);
        throw new Error("ENOSPC: no space left on device");
      });
    expect(await copy()).toMatchObject({ status: 500 });
    expect(await readdir(join(dataDirectory, "runs"))).toHaveLength(1);
  });
});
