import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { openCheckpoint } from "../disk/open-checkpoint.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";
import { CheckpointArchive } from "./checkpoint-archive.js";

async function saved(options: TestServerOptions = {}) {
  const dataDirectory = temporaryDirectory();
  const server = await TestServer.start({ ...options, dataDirectory });
  const modelId = await server.createModel();
  await server.run("/save_weights", { model_id: modelId, path: "a.v1", seq_id: 1 });
  const path = `/training_runs/${modelId}/checkpoints/weights/a.v1`;
  const address = async () => {
    const { headers } = await server.fetch("GET", `${path}/archive`, { redirect: "manual" });
    return String(headers.get("location"));
  };
  const folder = join(dataDirectory, "runs", encodeURIComponent(modelId), "weights", "a.v1");
  return { server, modelId, path, address, folder };
}

/** Unpacks an archive by the program of that name, and gives the files that are in it. */
async function unpack(archive: Uint8Array): Promise<Record<string, string>> {
  const folder = temporaryDirectory();
  execFileSync("tar", ["-xmf", "-"], { cwd: folder, input: archive });
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

describe("the archive of a checkpoint", () => {
  it("clients 83: is where the answer redirects to, for an hour, and holds the checkpoint's own files", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const { server, path, address, folder } = await saved({ clock });
    const answer = await server.fetch("GET", `${path}/archive`, { redirect: "manual" });
    expect(answer.status).toBe(302);
    expect(answer.headers.get("expires")).toBe(new Date(clock.now() + 3_600_000).toUTCString());
    expect((await server.fetch("GET", `${path}2/archive`, { redirect: "manual" })).status).toBe(404);
    const archive = await fetch(await address());
    expect([archive.status, archive.headers.get("content-type")]).toEqual([200, "application/x-tar"]);
    const bytes = new Uint8Array(await archive.arrayBuffer());
    expect(Number(archive.headers.get("content-length"))).toBe(bytes.length);
    expect(await unpack(bytes)).toEqual({
      "adapter.json": await readFile(join(folder, "adapter.json"), "utf8"),
      checkpoint_complete: "",
    });
  });

  it("is sent from any byte on to one who has its beginning, and whole when it has changed since", async () => {
    const { server, address, modelId } = await saved();
    const url = await address();
    const first = await fetch(url);
    const whole = Buffer.from(await first.arrayBuffer());
    const etag = String(first.headers.get("etag"));
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(url, { headers });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, range: response.headers.get("content-range"), body };
    };
    for (const start of [0, 1, 511, 512, 513, 600, whole.length - 1]) {
      const { status, range, body } = await ask({ range: `bytes=${start}-`, "if-range": etag });
      expect([status, range]).toEqual([206, `bytes ${start}-${whole.length - 1}/${whole.length}`]);
      expect(body.equals(whole.subarray(start)), `from ${start}`).toBe(true);
    }
    expect((await ask({ range: "bytes=500-519" })).body.equals(whole.subarray(500, 520))).toBe(true);
    expect(await ask({ range: `bytes=${whole.length}-` })).toMatchObject({
      status: 416,
      range: `bytes */${whole.length}`,
    });
    for (const range of ["bytes=5-2", "bytes=-5", "bytes=0-1,4-5", "lines=1-"])
      expect((await ask({ range })).status, range).toBe(200);
    await server.run("/save_weights", { model_id: modelId, path: "a.v1", seq_id: 2, overwrite: true });
    expect(await ask({ range: "bytes=512-", "if-range": etag })).toMatchObject({ status: 200 });
  });

  it("needs no key, and an address that was signed for just this checkpoint", async () => {
    const { address } = await saved();
    const url = new URL(await address());
    const other = new URL(url);
    other.pathname = other.pathname.replace("weights", "sampler_weights");
    const file = new URL(url);
    file.pathname += "/adapter.json";
    for (const each of [other, file]) expect((await fetch(each)).status).toBe(403);
    const keyed = await TestServer.start({ apiKey: CANARY_KEY });
    expect((await fetch(`${keyed.url}${url.pathname}${url.search}`)).status).toBe(403);
    expect((await fetch(`${keyed.url}${url.pathname}`)).status).toBe(422);
  });

  it("has no links that somebody has put among its files, and neither have addresses of files", async () => {
    const { server, modelId, address, folder } = await saved();
    await symlink("/etc/passwd", join(folder, "linked.json"));
    const archive = await unpack(new Uint8Array(await (await fetch(await address())).arrayBuffer()));
    expect(Object.keys(archive)).toEqual(["adapter.json", "checkpoint_complete"]);
    await server.run("/save_weights_external", { model_id: modelId, path: "e", seq_id: 2 });
    const place = `/training_runs/${modelId}/checkpoints/external_weights/e/external_weights_urls`;
    const urls = async () => Object.entries((await server.get(place)).body.urls as Record<string, string>);
    const [[, fileUrl = ""] = []] = await urls();
    const exported = join(folder, "../../external_weights/e");
    await rm(join(exported, "adapter.json"));
    await symlink("/etc/passwd", join(exported, "adapter.json"));
    expect((await fetch(fileUrl)).status).toBe(404);
    expect(await urls()).toEqual([]);
  });
});

describe("an archive that is being sent", () => {
  async function openSmall() {
    const dataDirectory = temporaryDirectory();
    const { running } = await TestServer.start({ dataDirectory });
    const { checkpoints } = running.state;
    const place = { training_run_id: "r", kind: "weights", name: "a" } as const;
    const shape = { rank: 1, trainAttention: true, trainMlp: true, trainUnembedding: true };
    const record = { ...place, base_model: "b", shape, has_optimizer: false, mayOverwrite: false };
    await checkpoints.save(record, async (directory) => {
      await mkdir(directory);
      await writeFile(join(directory, "weights"), Buffer.alloc(1_000_000, 7));
      return 1_000_000;
    });
    const archive = new CheckpointArchive(await openCheckpoint(checkpoints, "tinker://r/weights/a"));
    const folder = checkpoints.directory(place);
    const remove = () => checkpoints.delete(place);
    return { folder, archive, remove, stream: () => archive.stream(0, archive.byteLength) };
  }

  it("is whole although its checkpoint is deleted meanwhile", async () => {
    const { archive, remove, stream } = await openSmall();
    await remove();
    const bytes = await buffer(stream());
    expect(bytes.length).toBe(archive.byteLength);
    expect((await unpack(bytes)).weights).toHaveLength(1_000_000);
  });

  it("breaks off when a file of it becomes shorter: what came is not taken for the whole", async () => {
    const { folder, stream } = await openSmall();
    await truncate(join(folder, "weights"), 10);
    await expect(buffer(stream())).rejects.toThrow("weights has become shorter");
  });

  it.skipIf(process.platform !== "linux")("lets its files go, also when nobody reads it", async () => {
    const { folder, archive, stream } = await openSmall();
    const openFiles = async () => {
      const links = (await readdir("/proc/self/fd")).map((each) =>
        readlink(`/proc/self/fd/${each}`).catch(() => ""),
      );
      return (await Promise.all(links)).filter((path) => path.startsWith(folder)).length;
    };
    expect(await openFiles()).toBe(1);
    const unread = stream();
    unread.destroy();
    await expect.poll(openFiles).toBe(0);
    await archive.close();
  });
});
