import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processMark } from "@tinkex/base/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { Staging } from "./staging.js";

let parent: string;
beforeEach(() => {
  parent = temporaryDirectory();
});

/** Begins to fill a folder, and gives it up. */
async function giveUp(directory: string, checkpoint: string): Promise<void> {
  const staging = await Staging.open(directory, checkpoint);
  await writeFile(staging.path("0.part"), checkpoint);
  staging.release();
}

async function finish(directory: string, checkpoint: string): Promise<void> {
  const staging = await Staging.open(directory, checkpoint);
  await writeFile(join(staging.files, "file"), checkpoint);
  await staging.finish(directory);
  staging.release();
}

/** Makes all folders beside a directory those of a process that has ended. */
async function killOwner(): Promise<void> {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const gone = `${processMark().split("-")[0]}-${pid}`;
  for (const name of await readdir(parent)) {
    if (name.includes(processMark())) {
      await rename(join(parent, name), join(parent, name.replace(processMark(), gone)));
    }
  }
}

describe("what was given up", () => {
  it("goes with the end of another checkpoint's download to the same directory", async () => {
    const directory = join(parent, "adapter");
    await giveUp(directory, "a");
    await giveUp(directory, "b");
    await finish(directory, "c");
    expect(await readdir(parent)).toEqual(["adapter"]);
    expect(await readFile(join(directory, "file"), "utf8")).toBe("c");
  });

  it("goes with the end of the third download of one checkpoint where two were given up at one time", async () => {
    const directory = join(parent, "adapter");
    const both = await Promise.all([Staging.open(directory, "a"), Staging.open(directory, "a")]);
    for (const each of both) each.release();
    expect(await readdir(parent)).toHaveLength(2);
    await finish(directory, "a");
    expect(await readdir(parent)).toEqual(["adapter"]);
  });

  it("is gone on with by the same checkpoint, and stays while another only begins", async () => {
    const directory = join(parent, "adapter");
    await giveUp(directory, "a");
    const other = await Staging.open(directory, "b");
    const again = await Staging.open(directory, "a");
    expect(await readFile(again.path("0.part"), "utf8")).toBe("a");
    expect(existsSync(other.path("0.part"))).toBe(false);
    for (const each of [other, again]) each.release();
  });

  it("goes also where its process was killed, and a folder that was half removed is not gone on with", async () => {
    const directory = join(parent, "adapter");
    await giveUp(directory, "a");
    await killOwner();
    const [left = ""] = await readdir(parent);
    const parts = left.split(".");
    parts[parts.length - 4] = "removed";
    await mkdir(join(parent, parts.join(".")));
    await finish(directory, "b");
    expect(await readdir(parent)).toEqual(["adapter"]);
  });

  it.each([
    ["in the middle of a character", `${"x".repeat(39)}😀-adapter`],
    ["nowhere within such characters", "😀".repeat(45)],
    ["where it has dots", `v1.2.${"x".repeat(60)}`],
    ["nowhere, though half a character is in it", "a\ud83d"],
  ])("is found again where the name of the directory is cut %s", async (_, name) => {
    const directory = join(parent, name);
    await giveUp(directory, "a");
    const again = await Staging.open(directory, "a");
    expect(await readFile(again.path("0.part"), "utf8")).toBe("a");
    again.release();
    expect(await readdir(parent)).toHaveLength(1);
    await finish(directory, "b");
    expect(await readdir(parent)).toEqual([Buffer.from(name).toString()]);
  });

  it("stays where it is of another directory, also of one whose name begins alike, and what a call is filling stays too", async () => {
    const beginning = "x".repeat(50);
    await giveUp(join(parent, `${beginning}-1`), "a");
    const filling = await Staging.open(join(parent, `${beginning}-2`), "a");
    await finish(join(parent, `${beginning}-2`), "b");
    expect(await readdir(parent)).toHaveLength(3);
    expect(existsSync(filling.files)).toBe(true);
    filling.release();
    const again = await Staging.open(join(parent, `${beginning}-1`), "a");
    expect(await readFile(again.path("0.part"), "utf8")).toBe("a");
    again.release();
  });
});
