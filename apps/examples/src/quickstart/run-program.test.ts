import { expect, it } from "vitest";
import { runProgram } from "./run-program.js";

it("goes on where nobody reads its output any more, as behind head, and listens no longer than it runs", async () => {
  const before = process.stdout.listenerCount("error");
  let isThrough = false;
  await runProgram(async () => {
    process.stdout.emit("error", new Error("write EPIPE"));
    isThrough = true;
  });
  expect(isThrough).toBe(true);
  expect(process.stdout.listenerCount("error")).toBe(before);
});
