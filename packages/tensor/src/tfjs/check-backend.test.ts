import { expect, it, onTestFinished } from "vitest";
import { customLoss } from "./custom-loss.js";
import { tf } from "./tf.js";
import { toTensor } from "./to-tensor.js";

/** Takes the backends away, as they are with tfjs-core alone, until the test ends. */
function withoutBackends(): void {
  const engine = tf.engine();
  const { registryFactory } = engine;
  engine.registryFactory = {};
  onTestFinished(() => {
    engine.registryFactory = registryFactory;
  });
}

it("a tensor or a loss of tfjs-core alone is refused with the call that takes a backend", async () => {
  const advice =
    "tfjs has no backend yet; await pickBackend() first, which takes the fastest that is installed";
  const loss = customLoss((_data, _logprobs, joined) => ({ loss: tf.sum(joined) }));
  const datum = { model_input: { chunks: [] }, loss_fn_inputs: {} };
  const numbers = Float32Array.of(1);
  withoutBackends();
  expect(() => toTensor({ data: numbers, dtype: "float32" })).toThrow(advice);
  await expect(loss([datum], [numbers])).rejects.toThrow(advice);
});
