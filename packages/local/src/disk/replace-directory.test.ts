import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.js";
import { replaceDirectory } from "./replace-directory.js";

async function setUp() {
  const root = await temporaryDirectory();
  const target = join(root, "target");
  const successor = join(root, "successor");
  await mkdir(target);
  await writeFile(join(target, "old"), "");
  return { root, target, successor, retired: join(root, "retired") };
}

describe("replaceDirectory", () => {
  it("leaves the successor only", async () => {
    const { root, target, successor, retired } = await setUp();
    await mkdir(successor);
    await writeFile(join(successor, "new"), "");
    await replaceDirectory({ target, successor, retired });
    expect(await readdir(target)).toEqual(["new"]);
    expect(await readdir(root)).toEqual(["target"]);
  });

  it("puts the old one back when the successor cannot take its place", async () => {
    const { root, target, successor, retired } = await setUp();
    await expect(replaceDirectory({ target, successor, retired })).rejects.toThrow("ENOENT");
    expect(await readdir(target)).toEqual(["old"]);
    expect(await readdir(root)).toEqual(["target"]);
  });
});
