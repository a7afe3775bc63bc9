import * as tf from "@tensorflow/tfjs";
import { expect, it } from "vitest";
import { policyDatum } from "./policy-datum.js";

it("gives the answer's tokens the answer's advantage, and the prompt's none", () => {
  const advantages = tf.tensor2d([
    [1, 2],
    [3, -4],
  ]);
  const sequence = { stop_reason: "length", tokens: [7, 8], logprobs: [-0.5, -1] } as const;
  const { model_input, loss_fn_inputs } = policyDatum([4, 5, 6], sequence, advantages, [1, 1]);
  expect(model_input).toEqual([4, 5, 6, 7]);
  expect(loss_fn_inputs).toMatchObject({ target_tokens: [5, 6, 7, 8], logprobs: [0, 0, -0.5, -1] });
  expect([...loss_fn_inputs.advantages.dataSync()]).toEqual([0, 0, -4, -4]);
  tf.dispose([advantages, loss_fn_inputs.advantages]);
});
