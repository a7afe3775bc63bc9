import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { AbortedError, ClosedError, TinkexError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { EngineReply, EngineRequest } from "./engine-protocol.js";
import { packError } from "./transferred-error.js";
import { WorkerRpcClient } from "./worker-rpc-client.js";

/** The other end of a line, whose answers a test writes by hand: when a thread dies is for the test to say. */
class ScriptedThread extends EventEmitter {
  readonly requests: EngineRequest[] = [];
  isReferenced = true;

  postMessage(request: EngineRequest): void {
    this.requests.push(request);
  }
  ref(): void {
    this.isReferenced = true;
  }
  unref(): void {
    this.isReferenced = false;
  }
  terminate(): void {
    this.emit("exit", 1);
  }
  reply(reply: EngineReply): void {
    this.emit("message", reply);
  }
}

function open() {
  const thread = new ScriptedThread();
  return { thread, line: new WorkerRpcClient(thread) };
}

describe("WorkerRpcClient", () => {
  it("matches answers with calls in whatever order they come", async () => {
    const { thread, line } = open();
    const first = line.call("copyAdapter", ["a", "b"]);
    const second = line.call("saveAdapter", ["a", "/there", { includesOptimizer: true }]);
    expect(thread.requests).toEqual([
      { kind: "call", id: 0, call: { method: "copyAdapter", args: ["a", "b"] } },
      {
        kind: "call",
        id: 1,
        call: { method: "saveAdapter", args: ["a", "/there", { includesOptimizer: true }] },
      },
    ]);
    thread.reply({ kind: "result", id: 1, value: 42 });
    thread.reply({ kind: "error", id: 0, error: packError(new Error("lost")) });
    await expect(second).resolves.toBe(42);
    await expect(first).rejects.toThrow("the engine failed: lost");
  });

  it("keeps the process alive only while a call waits", async () => {
    const { thread, line } = open();
    expect(thread.isReferenced).toBe(false);
    const calls = [line.call("releaseAdapter", ["a"]), line.call("releaseAdapter", ["b"])];
    expect(thread.isReferenced).toBe(true);
    thread.reply({ kind: "result", id: 0, value: undefined });
    expect(thread.isReferenced).toBe(true);
    thread.reply({ kind: "result", id: 1, value: undefined });
    expect(thread.isReferenced).toBe(false);
    await Promise.all(calls);
  });

  it("rejects an aborted call at once, tells the thread, and ignores its answer", async () => {
    const { thread, line } = open();
    const controller = new AbortController();
    const call = line.call("releaseAdapter", ["a"], controller.signal);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toBeInstanceOf(AbortedError);
    await expect(call).rejects.toMatchObject({ cause: new Error("enough") });
    expect(thread.requests.at(-1)).toEqual({ kind: "abort", id: 0 });
    thread.reply({ kind: "result", id: 0, value: undefined });
    await expect(line.call("releaseAdapter", ["a"], controller.signal)).rejects.toBeInstanceOf(AbortedError);
    expect(thread.requests).toHaveLength(2);
  });

  it("rejects everything when the thread crashes, then and later, and says what to do", async () => {
    const { thread, line } = open();
    const calls = [line.call("releaseAdapter", ["a"]), line.call("releaseAdapter", ["b"])];
    thread.emit("error", new Error("out of memory"));
    for (const call of [...calls, line.call("releaseAdapter", ["c"])]) {
      await expect(call).rejects.toBeInstanceOf(TinkexError);
      await expect(call).rejects.toThrow(/ended unexpectedly \(out of memory\).*submit it again/);
    }
    expect(await line.lost).toMatchObject({ message: expect.stringContaining("out of memory") });
    thread.emit("exit", 1);
    await line.close();
  });

  it("does so when a real thread dies of an uncaught error", async () => {
    const worker = new Worker(
      `require("node:worker_threads").parentPort.on("message", () => { throw new Error("boom"); })`,
      { eval: true },
    );
    const line = new WorkerRpcClient(worker);
    await expect(line.call("releaseAdapter", ["a"])).rejects.toThrow(/ended unexpectedly \(boom\)/);
    await line.close();
  });

  it("keeps the process alive from closing until the thread has ended, whatever it still answers", async () => {
    const { thread, line } = open();
    const save = line.call("saveAdapter", ["a", "/there", { includesOptimizer: false }]);
    const closing = line.close();
    await expect(save).rejects.toBeInstanceOf(ClosedError);
    thread.reply({ kind: "result", id: 0, value: 42 });
    expect(thread.isReferenced).toBe(true);
    thread.emit("exit", 0);
    await closing;
  });

  it("closes once, rejects what is pending, and waits for the thread to end", async () => {
    const { thread, line } = open();
    const call = line.call("releaseAdapter", ["a"]);
    let closed = 0;
    const closing = [line.close(), line.close()].map((close) => close.then(() => closed++));
    await expect(call).rejects.toBeInstanceOf(ClosedError);
    expect(thread.requests.filter(({ kind }) => kind === "close")).toHaveLength(1);
    await turn();
    expect(closed).toBe(0);
    thread.emit("exit", 0);
    await Promise.all(closing);
    await expect(line.call("releaseAdapter", ["a"])).rejects.toBeInstanceOf(ClosedError);
  });
});
