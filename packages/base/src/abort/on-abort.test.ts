import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { onAbort } from "./on-abort.js";

it("tells everyone by one listener, which goes with the last of them", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const leave = Array.from({ length: 20 }, (_, index) =>
    onAbort(controller.signal, (reason) => heard.push(`${index}: ${reason}`)),
  );
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  leave[0]?.();
  controller.abort("enough");
  expect(heard).toHaveLength(19);
  expect(heard[0]).toBe("1: enough");
  for (const end of leave) end();
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

it("a callback that takes another back keeps it from being called", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  let leaveSecond = (): void => {};
  onAbort(controller.signal, () => leaveSecond());
  leaveSecond = onAbort(controller.signal, () => heard.push("second"));
  controller.abort();
  expect(heard).toEqual([]);
});

it("listens again after everyone has left", () => {
  const controller = new AbortController();
  const heard: unknown[] = [];
  onAbort(controller.signal, () => heard.push("first"))();
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  onAbort(controller.signal, () => heard.push("second"));
  controller.abort();
  expect(heard).toEqual(["second"]);
});

it("counts a function that is given twice twice", () => {
  const controller = new AbortController();
  let calls = 0;
  const count = (): void => {
    calls += 1;
  };
  const leave = onAbort(controller.signal, count);
  onAbort(controller.signal, count);
  leave();
  controller.abort();
  expect(calls).toBe(1);
});
