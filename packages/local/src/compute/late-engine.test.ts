import { fileURLToPath } from "node:url";
import { ClosedError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { LateEngine } from "./late-engine.js";

const model = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};
const runtime = { name: "wasm", threads: 3 } as const;
const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };

/** Tells whether it was closed. */
class ClosableEngine extends ScriptedEngine {
  isClosed = false;

  override async close(): Promise<void> {
    this.isClosed = true;
    await super.close();
  }
}

describe("LateEngine", () => {
  it("knows its model without having started, and starts once for calls that come together", async () => {
    let starts = 0;
    const scripted = new ClosableEngine({ name: model.name });
    const engine = new LateEngine({ model }, runtime, async () => {
      starts += 1;
      return scripted;
    });
    expect(engine.model).toMatchObject({ ...model, architecture: "llama", contextLength: 512 });
    expect([engine.runtime, engine.fault, starts]).toEqual([runtime, undefined, 0]);
    await Promise.all([engine.createAdapter("a", shape, 1), engine.createAdapter("b", shape, 2)]);
    await engine.copyAdapter("a", "c");
    await engine.releaseAdapter("b");
    expect([starts, scripted.adapterIds]).toEqual([1, ["a", "c"]]);
    scripted.fault = "out of memory";
    expect(engine.fault).toBe("out of memory");
    await engine.close();
    expect(scripted.isClosed).toBe(true);
  });

  it("fails the calls of a start that failed, and tries again for the next one", async () => {
    const tries = [new Error("no memory"), undefined];
    const scripted = new ScriptedEngine();
    const engine = new LateEngine({ model }, runtime, async () => {
      const fault = tries.shift();
      if (fault !== undefined) throw fault;
      return scripted;
    });
    await expect(engine.createAdapter("a", shape, 1)).rejects.toThrow("no memory");
    await engine.createAdapter("a", shape, 1);
    expect(scripted.adapterIds).toEqual(["a"]);
    await engine.close();
  });

  it("does not start any more once it is closed, and closes an engine that was starting", async () => {
    let starts = 0;
    const idle = new LateEngine({ model }, runtime, async () => {
      starts += 1;
      return new ScriptedEngine();
    });
    await idle.close();
    await expect(idle.createAdapter("a", shape, 1)).rejects.toThrow(ClosedError);
    expect(starts).toBe(0);

    const scripted = new ClosableEngine();
    let open = (_: ScriptedEngine) => {};
    const starting = new LateEngine({ model }, runtime, () => new Promise((resolve) => (open = resolve)));
    const created = starting.createAdapter("a", shape, 1).catch((error: unknown) => error);
    const closing = starting.close();
    open(scripted);
    await closing;
    await created;
    expect(scripted.isClosed).toBe(true);
  });

  it("refuses a directory that is no model before anything is started", () => {
    expect(
      () => new LateEngine({ model: { name: "x", directory: "/nowhere" } }, runtime, () => Promise.reject()),
    ).toThrow(/\/nowhere is not a model directory/);
  });
});
