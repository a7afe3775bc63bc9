import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { replaceDirectory } from "./replace-directory.js";

async function setUp() {
  const root = temporaryDirectory();
  const target = join(root, "target");
  const successor = join(root, "successor");
  await mkdir(target);
  await writeFile(join(target, "old"), "");
  const retired = join(root, "retired");
  const replacement = { target, successor, retired, discard: () => rm(retired, { recursive: true }) };
  return { root, target, successor, replacement };
}

describe("replaceDirectory", () => {
  it("leaves the successor only", async () => {
    const { root, target, successor, replacement } = await setUp();
    await mkdir(successor);
    await writeFile(join(successor, "new"), "");
    await replaceDirectory(replacement);
    expect(await readdir(target)).toEqual(["new"]);
    expect(await readdir(root)).toEqual(["target"]);
  });

  it("puts the old one back when the successor cannot take its place", async () => {
    const { root, target, replacement } = await setUp();
    await expect(replaceDirectory(replacement)).rejects.toThrow("ENOENT");
    expect(await readdir(target)).toEqual(["old"]);
    expect(await readdir(root)).toEqual(["target"]);
  });
});
