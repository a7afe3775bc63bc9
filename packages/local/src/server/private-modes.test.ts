import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeNewDirectory } from "../adapter/write-new-directory.js";
import { replacePrivateFile } from "../files/write-private-file.js";
import { TestServer } from "../testing/test-server.js";

const isPosix = process.platform !== "win32";

/** Octal modes of all that lies below a folder, by path. */
async function modesBelow(directory: string): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for (const path of await readdir(directory, { recursive: true })) {
    modes[path] = ((await lstat(join(directory, path))).mode & 0o777).toString(8);
  }
  return modes;
}

async function filesBelow(directory: string): Promise<string[]> {
  const paths = await readdir(directory, { recursive: true });
  const found = await Promise.all(paths.map((path) => lstat(join(directory, path))));
  return paths.filter((_, index) => found[index]?.isFile());
}

const isAdapter = (path: string) => path.endsWith("adapter.json");

/** Vitest runs a file in a child process, where the umask may be set. @param mask octal digits */
function useUmask(mask: string): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

describe.runIf(isPosix)("what the server writes is for its user alone", () => {
  it.each(["000", "022", "077", "177"])("whatever the umask: %s", async (mask) => {
    const dataDirectory = join(temporaryDirectory(), "deep", "data");
    useUmask("000");
    await mkdir(dataDirectory, { recursive: true });
    useUmask(mask);
    const server = await TestServer.start({ dataDirectory, limits: { idleSamplers: 0 } });
    const model_id = await server.createModel();
    await server.run("/save_weights", { model_id, path: "a", seq_id: 1 });
    await server.run("/save_weights", { model_id, path: "a", seq_id: 2, overwrite: true });
    await server.run("/save_weights_for_sampler", { model_id, sampling_session_seq_id: 0, seq_id: 3 });
    await expect.poll(async () => (await filesBelow(dataDirectory)).filter(isAdapter).length).toBe(2);
    const files = await filesBelow(dataDirectory);
    for (const [path, mode] of Object.entries(await modesBelow(dataDirectory))) {
      expect(`${path} ${mode}`).toBe(`${path} ${files.includes(path) ? "600" : "700"}`);
    }
    expect(files.length).toBeGreaterThan(5);
  });

  it.each(["000", "022", "277"])("adapters and replaced files too: %s", async (mask) => {
    const root = temporaryDirectory();
    useUmask(mask);
    await writeNewDirectory(join(root, "adapter"), new Map([["weights", new Uint8Array(3)]]));
    await replacePrivateFile(join(root, "record"), "1");
    await replacePrivateFile(join(root, "record"), "2");
    expect(await modesBelow(root)).toEqual({ adapter: "700", "adapter/weights": "600", record: "600" });
  });

  it("and nobody's own folder is changed", async () => {
    const root = temporaryDirectory();
    await mkdir(join(root, "runs", "mine"), { recursive: true });
    await writeFile(join(root, "runs", "mine", "notes"), "");
    const before = await modesBelow(root);
    await TestServer.start({ dataDirectory: root });
    expect(await modesBelow(root)).toMatchObject(before);
  });

  it("and a data directory that is made for it", async () => {
    const parent = temporaryDirectory();
    useUmask("000");
    await TestServer.start({ dataDirectory: join(parent, "a", "b") });
    expect(await modesBelow(parent)).toMatchObject({ a: "700", "a/b": "700", "a/b/runs": "700" });
  });
});
