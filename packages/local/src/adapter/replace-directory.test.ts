import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { recoverDirectory, replaceDirectory } from "./replace-directory.js";

const root = mkdtempSync(join(tmpdir(), "tinkex-replace-"));
const directory = join(root, "deep", "checkpoint");
const partial = join(root, "deep", ".checkpoint.partial");
const replaced = join(root, "deep", ".checkpoint.replaced");
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => rmSync(join(root, "deep"), { recursive: true, force: true }));

const files = (text: string) => new Map([["file", new TextEncoder().encode(text)]]);
const content = () => readFileSync(join(directory, "file"), "utf8");

/** What a process killed at some point would have left. */
function leave(place: string, text: string): void {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "file"), text);
}

describe("replaceDirectory", () => {
  it("makes the parents, writes, replaces, and leaves nothing beside", async () => {
    await replaceDirectory(directory, files("one"));
    expect(content()).toBe("one");
    leave(join(directory, "extra"), "of the old one");
    await replaceDirectory(directory, files("two"));
    expect(content()).toBe("two");
    expect(readdirSync(directory)).toEqual(["file"]);
    expect(readdirSync(join(root, "deep"))).toEqual(["checkpoint"]);
  });

  it("moves the old content aside before the new takes its place, so that a crash between loses neither", async () => {
    await replaceDirectory(directory, files("one"));
    const seen: (string | null)[] = [];
    const watcher = watch(join(root, "deep"), (_, name) => seen.push(name));
    await replaceDirectory(directory, files("two"));
    await vi.waitFor(() => expect(seen).toContain(basename(replaced)));
    watcher.close();
  });

  it("keeps the old content when writing fails, and cleans up", async () => {
    await replaceDirectory(directory, files("one"));
    const bad = new Map([...files("two"), ["no/such/folder", new Uint8Array(1)] as const]);
    await expect(replaceDirectory(directory, bad)).rejects.toThrow(/ENOENT/);
    expect(content()).toBe("one");
    expect(readdirSync(join(root, "deep"))).toEqual(["checkpoint"]);
  });

  it("writes over the leftovers of a crash", async () => {
    leave(partial, "half");
    writeFileSync(join(partial, "other"), "stale");
    await replaceDirectory(directory, files("two"));
    expect(readdirSync(directory)).toEqual(["file"]);
    expect(content()).toBe("two");
  });
});

describe("recoverDirectory", () => {
  it("moves back what had been moved aside for a directory that never came", async () => {
    leave(replaced, "old");
    leave(partial, "new");
    await recoverDirectory(directory);
    expect(content()).toBe("old");
    expect(readdirSync(join(root, "deep"))).toEqual(["checkpoint"]);
  });

  it("drops what had been moved aside when its successor is there", async () => {
    leave(replaced, "old");
    leave(directory, "new");
    await recoverDirectory(directory);
    expect(content()).toBe("new");
    expect(existsSync(replaced)).toBe(false);
  });

  it("does nothing where there is nothing", async () => {
    await recoverDirectory(directory);
    expect(existsSync(directory)).toBe(false);
  });
});
