import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { TrainingProgress } from "./progress.js";

describe("TrainingProgress without a terminal", () => {
  it("writes ten plain lines with step, loss, speed and time left", () => {
    const stream = new PassThrough();
    let nowMs = 0;
    const progress = new TrainingProgress({ stepCount: 40, stream, now: () => nowMs });
    for (let step = 1; step <= 40; step++) {
      nowMs += 500;
      progress.step(2 / step, 1000);
    }
    progress.stop();
    const lines = stream.read().toString().trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("step 4/40  loss 0.500  2,000 tokens/s  18 s left");
    expect(lines[9]).toBe("step 40/40  loss 0.050  2,000 tokens/s  0 s left");
  });

  it("ends with the last step when the steps do not divide by ten", () => {
    const stream = new PassThrough();
    const progress = new TrainingProgress({ stepCount: 7, stream, now: () => 0 });
    for (let step = 1; step <= 7; step++) progress.step(1, 1);
    expect(stream.read().toString()).toMatch(/step 7\/7/);
  });
});
