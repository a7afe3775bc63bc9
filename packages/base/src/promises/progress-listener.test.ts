import { describe, expect, it } from "vitest";
import { ProgressListener } from "./progress-listener.js";

describe("a listener of progress", () => {
  const fault = new Error("mine");

  it.each([
    [
      "at once",
      () => {
        throw fault;
      },
    ],
    ["later", () => Promise.reject(fault)],
  ])("has what it throws %s told by a signal, and nothing else happens", async (_, listener) => {
    const progress = new ProgressListener<number>(listener);
    progress.tell(1);
    await new Promise(setImmediate);
    expect(progress.signal.reason).toBe(fault);
  });

  it("hears everything in order; its first fault counts, and a good one has none", async () => {
    const heard: number[] = [];
    const progress = new ProgressListener<number>(async (each) => {
      heard.push(each);
      if (each > 1) throw new Error(`at ${each}`);
    });
    progress.tell(1);
    await new Promise(setImmediate);
    expect(progress.signal.aborted).toBe(false);
    progress.tell(2);
    progress.tell(3);
    await new Promise(setImmediate);
    expect(heard).toEqual([1, 2, 3]);
    expect(progress.signal.reason).toMatchObject({ message: "at 2" });
    new ProgressListener<number>(undefined).tell(1);
  });
});
