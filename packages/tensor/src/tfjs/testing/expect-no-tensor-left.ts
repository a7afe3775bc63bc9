import { expect, onTestFinished } from "vitest";
import { tf } from "../tf.js";

/** Expects, at the end of the running test, as many tensors as there are now, and nothing recorded for a backward pass. */
export function expectNoTensorLeft(): void {
  const before = tf.memory().numTensors;
  onTestFinished(() => {
    expect(tf.memory().numTensors, "tensors").toBe(before);
    expect(tf.engine().state.activeTape ?? [], "operations on the tape").toEqual([]);
  });
}
