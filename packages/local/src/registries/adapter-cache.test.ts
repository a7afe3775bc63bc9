import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { OwnedFolder } from "../disk/owned-folder.js";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { AdapterCache } from "./adapter-cache.js";

const shape = { rank: 1, trainAttention: true, trainMlp: true, trainUnembedding: true };

async function makeCache(capacity: number, adapterIds: readonly string[]) {
  const root = temporaryDirectory();
  const folder = OwnedFolder.named(root);
  const engine = new ScriptedEngine();
  const adapterCache = new AdapterCache({ root, folder, capacity });
  // Moves may still be under way, which the directory is to outlive.
  onTestFinished(() => adapterCache.close());
  for (const id of adapterIds) {
    await engine.createAdapter(id, shape, 0);
    adapterCache.add(id, engine);
  }
  await expect.poll(() => engine.adapterIds.length).toBe(Math.min(capacity, adapterIds.length));
  return { folder, engine, adapterCache };
}

describe("AdapterCache", () => {
  it("keeps the most recently used in memory and the others on disk", async () => {
    const { folder, engine, adapterCache } = await makeCache(2, ["a", "b", "c", "d"]);
    expect(engine.adapterIds).toEqual(["c", "d"]);
    expect(await folder.contents()).toHaveLength(2);
    await adapterCache.use("a", async () => expect(engine.adapterIds).toContain("a"));
    await expect.poll(() => engine.adapterIds).toEqual(["a", "d"]);
    await adapterCache.use("d", async () => {});
    await adapterCache.use("b", async () => {});
    await expect.poll(() => engine.adapterIds).toEqual(["b", "d"]);
  });

  it("never takes one away from those who use it", async () => {
    const { engine, adapterCache } = await makeCache(0, ["a"]);
    expect(engine.adapterIds).toEqual([]);
    let finish = () => {};
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const uses = [adapterCache.use("a", () => working), adapterCache.use("a", () => working)];
    await expect.poll(() => engine.adapterIds).toEqual(["a"]);
    adapterCache.add("other", engine);
    await expect.poll(() => engine.adapterIds).toEqual(["a"]);
    expect(engine.calls.filter((call) => call.startsWith("load a"))).toHaveLength(1);
    finish();
    await Promise.all(uses);
    await expect.poll(() => engine.adapterIds).toEqual([]);
    expect(engine.calls.filter((call) => call.startsWith("save a"))).toHaveLength(1);
  });

  it("brings one back that is wanted while it is being moved out", async () => {
    const { engine, adapterCache } = await makeCache(1, ["a"]);
    const open = engine.hold();
    adapterCache.add("b", engine);
    await expect.poll(() => engine.calls.at(-1)).toBe("save a optimizer false");
    const used = adapterCache.use("a", async () => engine.adapterIds);
    open();
    expect(await used).toEqual(["a"]);
    // It came before its memory was given away, so nothing had to be read again.
    expect(engine.calls.filter((call) => call.startsWith("load"))).toEqual([]);
  });

  it("forgets and cleans up", async () => {
    const { folder, engine, adapterCache } = await makeCache(1, ["a", "b"]);
    await adapterCache.remove("a");
    await adapterCache.remove("b");
    await adapterCache.remove("b");
    expect(engine.adapterIds).toEqual([]);
    expect(await folder.contents()).toEqual([]);
    await adapterCache.close();
    expect(existsSync(folder.path)).toBe(false);
  });

  it("goes on in memory where its folder cannot be made, and closes all the same", async () => {
    const root = temporaryDirectory();
    await writeFile(join(root, "parked"), "a file in its place");
    const engine = new ScriptedEngine();
    const adapterCache = new AdapterCache({
      root,
      folder: OwnedFolder.named(join(root, "parked")),
      capacity: 0,
    });
    await engine.createAdapter("a", shape, 0);
    adapterCache.add("a", engine);
    await adapterCache.use("a", async () => expect(engine.adapterIds).toEqual(["a"]));
    await adapterCache.close();
    expect(await readFile(join(root, "parked"), "utf8")).toBe("a file in its place");
  });

  it("leaves to the engine what it does not know", async () => {
    const { adapterCache } = await makeCache(1, []);
    await expect(adapterCache.use("none", async () => "asked the engine")).resolves.toBe("asked the engine");
  });
});
