import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { LightSignal } from "./light-signal.js";
import { onAbort } from "./on-abort.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it("tells everyone who listens, in their order and once, with the first reason", () => {
  const signal = new LightSignal();
  const heard: string[] = [];
  const leave = ["a", "b", "c"].map((name) => onAbort(signal, (reason) => heard.push(`${name}: ${reason}`)));
  leave[1]?.();
  leave[1]?.();
  signal.throwIfAborted();
  signal.abort("enough");
  signal.abort("more");
  expect(heard).toEqual(["a: enough", "c: enough"]);
  expect([signal.aborted, signal.reason]).toEqual([true, "enough"]);
  expect(() => signal.throwIfAborted()).toThrow("enough");
});

it("counts a function that is given twice twice, and does not call one that another has taken back", () => {
  const signal = new LightSignal();
  let calls = 0;
  const count = (): void => {
    calls += 1;
  };
  const leave = signal.listen(count);
  signal.listen(count);
  leave();
  signal.listen(() => leaveLast());
  const leaveLast = signal.listen(count);
  signal.abort("over");
  expect(calls).toBe(1);
});

it.each([
  ["of the platform", () => new AbortController()],
  ["of this package", () => new LightSignal()],
] as const)("a signal %s does not call one who comes while it aborts, or after", (_, make) => {
  const controller = make();
  const signal = controller instanceof LightSignal ? controller : controller.signal;
  const heard: string[] = [];
  onAbort(signal, () => {
    heard.push("before");
    onAbort(signal, () => heard.push("meanwhile"))();
    onAbort(signal, () => heard.push("meanwhile"));
  });
  controller.abort("enough");
  onAbort(signal, () => heard.push("after"));
  controller.abort("more");
  expect(heard).toEqual(["before"]);
});

it("is a signal of the platform for those who need one, whether they ask before it aborts or after", () => {
  const signal = new LightSignal();
  const before = signal.native;
  const heard: unknown[] = [];
  const listener = (event: Event): unknown => heard.push(event.type);
  signal.addEventListener("abort", listener, { once: true });
  signal.addEventListener("abort", () => heard.push("taken back"));
  signal.onabort = () => heard.push("onabort");
  expect(signal.onabort).toBe(before.onabort);
  expect(before).toBeInstanceOf(AbortSignal);
  const other = (): void => {};
  signal.addEventListener("abort", other);
  signal.removeEventListener("abort", other);
  signal.abort("enough");
  expect(heard).toEqual(["abort", "taken back", "onabort"]);
  expect(before.reason).toBe("enough");
  const late = new LightSignal();
  late.abort("early");
  expect(late.native.reason).toBe("early");
});

it("lets go of the neighbours of one that has left and is still kept, such as by the stack of an error", async () => {
  const signal = new LightSignal();
  const kept = signal.listen(() => {});
  const listenBeside = (): WeakRef<object> => {
    const held = { text: "a connection" };
    const leave = signal.listen(() => void held.text);
    kept();
    leave();
    return new WeakRef(held);
  };
  const held = listenBeside();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  kept();
});
