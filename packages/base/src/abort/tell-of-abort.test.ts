import { expect, it, onTestFinished } from "vitest";
import { LightSignal } from "./light-signal.js";
import { onAbort } from "./on-abort.js";

it.each([
  ["the platform's signal", new AbortController()],
  ["a light signal", new LightSignal()],
])("of %s: everyone is told, though one throws, and its error is uncaught", async (_, controller) => {
  const signal = controller instanceof LightSignal ? controller : controller.signal;
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
