import { expect, it, onTestFinished } from "vitest";
import { onAbort } from "./on-abort.js";

it("tells everyone who waits for a signal, though one throws, whose error is uncaught", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const uncaught = new Promise((resolve) => {
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", resolve);
    onTestFinished(() => {
      process.removeListener("uncaughtException", resolve);
      for (const other of others) process.on("uncaughtException", other);
    });
  });
  const heard: unknown[] = [];
  const failure = new Error("a fault");
  onAbort(signal, () => {
    throw failure;
  });
  onAbort(signal, (reason) => heard.push(reason));
  controller.abort("enough");
  expect(heard).toEqual(["enough"]);
  expect(await uncaught).toBe(failure);
});
