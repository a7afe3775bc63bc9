import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { FutureStore } from "./future-store.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const never = new AbortController().signal;

function makeStore() {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const store = new FutureStore<string>({
    clock,
    instanceId: "f",
    keepDeliveredMs: 300_000,
    keepUnfetchedMs: 3_600_000,
  });
  return { clock, store };
}

describe("FutureStore", () => {
  it("endpoints 7: keeps a result after its delivery, and answers 410 when it is gone", async () => {
    const { clock, store } = makeStore();
    const id = store.submit(undefined, async () => "result");
    expect(await store.wait(id, 1000, never)).toEqual({ state: "done", value: "result" });
    store.markDelivered(id);
    await clock.advance(299_000);
    expect(await store.wait(id, 1000, never)).toEqual({ state: "done", value: "result" });
    await clock.advance(2_000);
    await expect(store.wait(id, 1000, never)).rejects.toMatchObject({ status: 410 });
  });

  it("keeps a result that nobody fetched for longer", async () => {
    const { clock, store } = makeStore();
    const id = store.submit(undefined, async () => "result");
    await clock.advance(0);
    await clock.advance(3_500_000);
    expect(await store.wait(id, 0, never)).toMatchObject({ state: "done" });
    await clock.advance(200_000);
    await expect(store.wait(id, 0, never)).rejects.toMatchObject({ status: 410 });
  });

  it("answers 404 for what it never issued", async () => {
    const { store } = makeStore();
    store.submit(undefined, async () => "result");
    for (const id of ["f-2", "f-0", "other-1", "1", ""]) {
      await expect(store.wait(id, 0, never), id).rejects.toMatchObject({ status: 404 });
    }
  });

  it("holds a poll until the result is there, or as long as it may", async () => {
    const { clock, store } = makeStore();
    let finish = (_: string) => {};
    const id = store.submit(
      undefined,
      () =>
        new Promise<string>((resolve) => {
          finish = resolve;
        }),
    );
    const first = store.wait(id, 20_000, never);
    await clock.advance(19_999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await first).toEqual({ state: "pending" });
    const polls = [store.wait(id, 20_000, never), store.wait(id, 20_000, never)];
    finish("both");
    expect(await Promise.all(polls)).toEqual([
      { state: "done", value: "both" },
      { state: "done", value: "both" },
    ]);
    expect(clock.sleeping).toBe(0);
  });

  it("ends the poll of a client that is gone", async () => {
    const { clock, store } = makeStore();
    const id = store.submit(undefined, () => new Promise<string>(() => {}));
    const gone = new AbortController();
    const poll = store.wait(id, 20_000, gone.signal);
    gone.abort(new Error("gone"));
    await expect(poll).rejects.toThrow("gone");
    expect(clock.sleeping).toBe(0);
    await expect(store.wait(id, 20_000, gone.signal)).rejects.toThrow("gone");
  });

  it("endpoints 9: starts a resent request once, and refuses another body under its number", async () => {
    const { store } = makeStore();
    let starts = 0;
    const start = async () => String(++starts);
    const first = store.submit({ key: "m#1", fingerprint: "a" }, start);
    expect(store.submit({ key: "m#1", fingerprint: "a" }, start)).toBe(first);
    expect(await store.wait(first, 0, never)).toEqual({ state: "done", value: "1" });
    expect(store.submit({ key: "m#1", fingerprint: "a" }, start)).toBe(first);
    expect(() => store.submit({ key: "m#1", fingerprint: "b" }, start)).toThrow(RequestRefusal);
    expect(store.submit({ key: "m#2", fingerprint: "a" }, start)).not.toBe(first);
    expect(starts).toBe(2);
  });

  it("takes nothing in when the start is refused", () => {
    const { store } = makeStore();
    const refuse = () => {
      throw new RequestRefusal(409, "passed");
    };
    expect(() => store.submit({ key: "m#1", fingerprint: "a" }, refuse)).toThrow("passed");
    expect(store.submit({ key: "m#1", fingerprint: "b" }, async () => "x")).toBe("f-1");
  });

  it("keeps nothing of a failure but its words: the error's stack holds the request that it was made in", async () => {
    const { store } = makeStore();
    const failures: WeakRef<Error>[] = [];
    const failing = (): Promise<string> => {
      const failure = new OperationFailure("kept", "user");
      failures.push(new WeakRef(failure));
      return Promise.reject(failure);
    };
    const cancelled = (signal: AbortSignal): Promise<string> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const ids = [store.submit(undefined, failing), store.submit(undefined, cancelled)];
    const cancel = (): void => {
      const reason = new OperationFailure("kept", "user");
      failures.push(new WeakRef(reason));
      store.cancel(ids[1] ?? "", reason);
    };
    cancel();
    for (const id of ids) {
      const failure = { message: "kept", category: "user" };
      expect(await store.wait(id, 0, never)).toEqual({ state: "failed", failure });
    }
    // A weak reference that was made or read stays strong until the turn has ended.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(failures.map((failure) => failure.deref())).toEqual([undefined, undefined]);
    expect(await store.wait(ids[0] ?? "", 0, never)).toMatchObject({ state: "failed" });
  });

  it("says whose fault a failure is", async () => {
    const { store } = makeStore();
    const fault = async (error: unknown) =>
      store.wait(
        store.submit(undefined, () => Promise.reject(error)),
        1000,
        never,
      );
    expect(await fault(new ValidationError("bad"))).toMatchObject({
      state: "failed",
      failure: { message: "bad", category: "user" },
    });
    expect(await fault(new RequestRefusal(404, "gone"))).toMatchObject({ failure: { category: "user" } });
    expect(await fault(new Error("broken"))).toMatchObject({
      failure: { message: "broken", category: "server" },
    });
  });
});
