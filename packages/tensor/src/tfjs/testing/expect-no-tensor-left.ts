import { expect, onTestFinished } from "vitest";
import { tf } from "../tf.js";

/** At the end of the running test, expects as many tensors as there are now, and nothing recorded for a way back. */
export function expectNoTensorLeft(): void {
  const before = tf.memory().numTensors;
  onTestFinished(() => {
    expect(tf.memory().numTensors, "tensors").toBe(before);
    expect(tf.engine().state.activeTape ?? [], "operations on the tape").toEqual([]);
  });
}
