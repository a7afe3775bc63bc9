import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { makeFolders, makeFoldersSync } from "./make-folders.js";

let parent: string;
beforeEach(() => {
  parent = temporaryDirectory();
});

// Windows has no rights of POSIX, and other words for a file in the way.
const onWindows = process.platform === "win32";

describe("makeFolders", () => {
  it("may be called twice at a time", async () => {
    const path = join(parent, "a", "b", "c");
    await Promise.all([makeFolders(path), makeFolders(path), makeFolders(join(parent, "a"))]);
    expect(await makeFolders(path)).toBeUndefined();
  });

  it("gives the first that it made, below which all are new", async () => {
    expect(await makeFolders(join(parent, "a", "b", "c"))).toBe(join(parent, "a"));
    expect(await makeFolders(join(parent, "a", "b", "d"))).toBe(join(parent, "a", "b", "d"));
  });
});

describe.each([
  ["makeFolders", makeFolders],
  ["makeFoldersSync", async (path: string, mode?: number) => makeFoldersSync(path, mode)],
])("%s", (_, make) => {
  it("makes all that are not there, and passes over those that are", async () => {
    const path = join(parent, "a", "b", "c");
    for (const each of [path, path, join(parent, "a"), join(parent, "a", "d"), "."]) await make(each);
    expect((await stat(path)).isDirectory()).toBe(true);
    expect((await stat(join(parent, "a", "d"))).isDirectory()).toBe(true);
  });

  it.skipIf(onWindows)("gives all that it makes the rights that are asked for", async () => {
    await make("/");
    await make(join(parent, "a", "b"), 0o700);
    expect((await stat(join(parent, "a"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(parent, "a", "b"))).mode & 0o777).toBe(0o700);
  });

  it.skipIf(onWindows)("fails at a file in the way", async () => {
    await writeFile(join(parent, "file"), "");
    await expect(make(join(parent, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(make(join(parent, "file", "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  // nodejs/node: `mkdir` with `recursive: true` never returns for such a path, and keeps a processor busy.
  it.runIf(existsSync("/proc/self"))("fails in a file system that takes no folders", async () => {
    await expect(make("/proc/tinkex/a/b")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
