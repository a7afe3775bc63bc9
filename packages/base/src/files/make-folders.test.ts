import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeFolders } from "./make-folders.js";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "tinkex-folders-"));
  onTestFinished(() => rm(parent, { recursive: true }));
});

describe("makeFolders", () => {
  it("makes all that are not there, passes over those that are, and may be called twice at a time", async () => {
    const path = join(parent, "a", "b", "c");
    await Promise.all([makeFolders(path), makeFolders(path), makeFolders(join(parent, "a"))]);
    expect(await makeFolders(path)).toBeUndefined();
    expect((await stat(path)).isDirectory()).toBe(true);
    await makeFolders("/");
    await makeFolders(".");
  });

  it("gives the first that it made, below which all are new", async () => {
    expect(await makeFolders(join(parent, "a", "b", "c"))).toBe(join(parent, "a"));
    expect(await makeFolders(join(parent, "a", "b", "d"))).toBe(join(parent, "a", "b", "d"));
  });

  it("gives all that it makes the rights that are asked for", async () => {
    await makeFolders(join(parent, "a", "b"), 0o700);
    expect((await stat(join(parent, "a"))).mode & 0o777).toBe(0o700);
  });

  it("fails at a file in the way", async () => {
    await writeFile(join(parent, "file"), "");
    await expect(makeFolders(join(parent, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolders(join(parent, "file", "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  // nodejs/node: `mkdir` with `recursive: true` never returns for such a path, and keeps a processor busy.
  it.runIf(existsSync("/proc/self"))("fails in a file system that takes no folders", async () => {
    await expect(makeFolders("/proc/tinkex/a/b")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
