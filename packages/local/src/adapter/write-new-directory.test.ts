import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { writeNewDirectory } from "./write-new-directory.js";

const root = temporaryDirectory();
const parent = join(root, "deep");
const directory = join(parent, "adapter");
beforeEach(() => rmSync(parent, { recursive: true, force: true }));

const files = (text: string) => new Map([["file", new TextEncoder().encode(text)]]);

describe("writeNewDirectory", () => {
  it("makes the parents, writes, and leaves nothing beside", async () => {
    await writeNewDirectory(directory, files("one"));
    expect(readFileSync(join(directory, "file"), "utf8")).toBe("one");
    expect(readdirSync(directory)).toEqual(["file"]);
    expect(readdirSync(parent)).toEqual(["adapter"]);
  });

  it.runIf(existsSync("/proc/self"))("fails in a file system that takes no folders", async () => {
    await expect(writeNewDirectory("/proc/tinkex/a/adapter", files("one"))).rejects.toThrow(/ENOENT/);
  });

  it("leaves no directory when writing fails halfway", async () => {
    const bad = new Map([...files("one"), ["no/such/folder", new Uint8Array(1)] as const]);
    await expect(writeNewDirectory(directory, bad)).rejects.toThrow(/ENOENT/);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("leaves a directory alone that is there already", async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "file"), "old");
    const writing = writeNewDirectory(directory, files("new"));
    await expect(writing).rejects.toThrow(ValidationError);
    await expect(writing).rejects.toThrow(/adapter is there already: write to a new directory/);
    expect(readFileSync(join(directory, "file"), "utf8")).toBe("old");
  });

  it("gives one of two writers at the same time the directory, whole", async () => {
    const outcomes = await Promise.allSettled(
      ["one", "two"].map((text) => writeNewDirectory(directory, files(text))),
    );
    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(readFileSync(join(directory, "file"), "utf8")).toBe(["one", "two"][winner]);
  });
});
