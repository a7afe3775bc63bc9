import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

/** Paths of all files and links below a folder. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => !path.startsWith("server-lock"))
    .sort();
}

async function directoryWith(files: readonly string[]): Promise<string> {
  const root = join(temporaryDirectory(), "project");
  for (const file of files) {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), "mine");
  }
  return root;
}

async function serveOnce(dataDirectory: string): Promise<void> {
  const server = await TestServer.start({ dataDirectory });
  const run = await server.createModel();
  await server.run("/save_weights", { model_id: run, path: "a", seq_id: 1 });
  await server.fetch("DELETE", `/training_runs/${run}/checkpoints/weights/a`);
  await server.running.close();
}

describe("a data directory that holds somebody's own folders", () => {
  it.each([
    [
      "folders that bear our names",
      ["parked/my-notes/1", "runs/exp1/staging/keep/1", "runs/exp1/retired/old/1"],
    ],
    [
      "files in their place",
      ["parked/notes.txt", "runs/exp1/staging/notes.txt", "runs/exp1/retired/notes.txt"],
    ],
    [
      "logs of other programs",
      ["runs/Nov28_host/events.out.tfevents.1", "runs/exp1/weights/last.pt", "runs/exp1/run.json"],
    ],
    [
      "names that look like those of a process",
      ["parked/1234~abcd/1", "runs/exp1/staging/1234~abcd/1", "runs/exp1/retired/1234~abcd~1~weights/x/1"],
    ],
    [
      "names like ours, without our mark",
      [
        "parked/tinkex-00000000-0000-4000-8000-000000000000/1",
        "runs/exp1/staging/tinkex-00000000-0000-4000-8000-000000000000/1",
        "runs/exp1/retired/tinkex-00000000-0000-4000-8000-000000000000~weights/a/1",
      ],
    ],
  ])("loses none of them: %s", async (_, files) => {
    const root = await directoryWith(files);
    await serveOnce(root);
    await serveOnce(root);
    expect(await filesBelow(root)).toEqual(expect.arrayContaining([...files].sort()));
  });

  it("loses nothing behind symbolic links", async () => {
    const root = await directoryWith([
      "runs/exp1/weights/x",
      "elsewhere/staging/keep/1",
      "elsewhere/parked/1",
    ]);
    await symlink(join(root, "elsewhere", "staging"), join(root, "runs", "exp1", "staging"));
    await symlink(join(root, "elsewhere", "staging"), join(root, "runs", "exp1", "retired"));
    await symlink(join(root, "elsewhere"), join(root, "runs", "exp2"));
    await symlink(join(root, "elsewhere", "parked"), join(root, "parked"));
    const before = await filesBelow(root);
    await serveOnce(root);
    expect(await filesBelow(root)).toEqual(expect.arrayContaining(before));
  });
});
