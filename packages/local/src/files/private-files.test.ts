import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TinkexError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { makePrivateDirectory } from "./make-private-directory.js";
import { readSmallFile } from "./read-small-file.js";
import { replacePrivateFile, writePrivateFile } from "./write-private-file.js";

/** A folder, and a file outside it that must stay as it is. */
async function setUp() {
  const parent = temporaryDirectory();
  const root = join(parent, "root");
  const outside = join(parent, "outside");
  await mkdir(root);
  await writeFile(outside, "dear");
  return { root, outside };
}

describe("makePrivateDirectory", () => {
  it("makes what is missing and takes what is there", async () => {
    const { root } = await setUp();
    for (let time = 0; time < 2; time++) await makePrivateDirectory(root, join(root, "a", "b", "c"));
    expect(await readdir(root, { recursive: true })).toEqual(["a", "a/b", "a/b/c"]);
  });

  it.each(["a", "a/b", "a/b/c"])("does not pass through a link or a file in the place of %s", async (at) => {
    for (const kind of ["a symbolic link", "a file"]) {
      const { root } = await setUp();
      const elsewhere = join(root, "..", "elsewhere");
      await mkdir(elsewhere);
      await mkdir(join(root, at, ".."), { recursive: true });
      if (kind === "a file") await writeFile(join(root, at), "");
      else await symlink(elsewhere, join(root, at));
      const making = makePrivateDirectory(root, join(root, "a", "b", "c"));
      await expect(making).rejects.toThrow(TinkexError);
      await expect(making).rejects.toThrow(`${join(root, at)} must be a directory, got ${kind}`);
      expect(await readdir(elsewhere)).toEqual([]);
    }
  });
});

describe("writePrivateFile and replacePrivateFile", () => {
  it("never write through a link", async () => {
    const { root, outside } = await setUp();
    await symlink(outside, join(root, "link"));
    await expect(writePrivateFile(join(root, "link"), "new")).rejects.toThrow("EEXIST");
    await replacePrivateFile(join(root, "link"), "new");
    expect(await readFile(outside, "utf8")).toBe("dear");
    expect(await readFile(join(root, "link"), "utf8")).toBe("new");
    expect(await readdir(root)).toEqual(["link"]);
  });

  it("leave nothing of a replacement that failed", async () => {
    const { root } = await setUp();
    await mkdir(join(root, "folder", "inside"), { recursive: true });
    await expect(replacePrivateFile(join(root, "folder"), "new")).rejects.toThrow();
    expect(await readdir(root)).toEqual(["folder"]);
  });
});

describe("readSmallFile", () => {
  it.each([
    ["a link", (root: string) => symlink("../outside", join(root, "x")), { fault: "is a symbolic link" }],
    ["a ring of links", (root: string) => symlink("x", join(root, "x")), { fault: "is a symbolic link" }],
    ["a folder", (root: string) => mkdir(join(root, "x")), { fault: "is no regular file" }],
    [
      "too much",
      (root: string) => writeFile(join(root, "x"), "123456789"),
      { fault: "must have at most 8 bytes, got 9" },
    ],
    ["nothing", async () => {}, undefined],
    ["a file", (root: string) => writeFile(join(root, "x"), "12345678"), { text: "12345678" }],
  ])("tells of %s", async (_, make, expected) => {
    const { root } = await setUp();
    await make(root);
    expect(await readSmallFile(join(root, "x"), 8)).toEqual(expected);
  });

  it.runIf(process.platform !== "win32")("does not wait for the writer of a pipe", async () => {
    const { root } = await setUp();
    expect(spawnSync("mkfifo", [join(root, "x")]).status).toBe(0);
    expect(await readSmallFile(join(root, "x"), 8)).toEqual({ fault: "is no regular file" });
  });
});
