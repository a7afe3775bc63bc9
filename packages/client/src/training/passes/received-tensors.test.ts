import { ResponseError } from "@tinkex/base";
import type { ForwardBackwardOutput, ReceivedTensor } from "@tinkex/types";
import { expect, expectTypeOf, it } from "vitest";
import { datum } from "../../testing/examples.js";
import { openTraining } from "../../testing/open-training.js";
import { combineOutputs } from "./combine-outputs.js";

const result = (output: ForwardBackwardOutput["loss_fn_outputs"][number]): ForwardBackwardOutput => ({
  loss_fn_output_type: "ArrayRecord",
  loss_fn_outputs: [output],
  metrics: {},
});

// microsoft/TypeScript#36390: "This expression is not callable" for map of one array or another.
it("gives log-probabilities whose array methods compile as they are", async () => {
  const { training } = await openTraining();
  const { loss_fn_outputs } = await training.forward([datum(1)], "cross_entropy");
  const [output] = loss_fn_outputs;
  expectTypeOf(output?.logprobs?.data).toEqualTypeOf<Float32Array | undefined>();
  const logprobs = output?.logprobs?.data ?? new Float32Array(0);
  expect(logprobs.length).toBeGreaterThan(0);
  const sum = logprobs.reduce((total, logprob) => total + logprob, 0);
  expect(logprobs.map(Number)).toEqual(logprobs);
  expect(Array.from(logprobs, Math.exp).every((probability) => probability <= 1)).toBe(true);
  expect(sum).toBeLessThanOrEqual(0);
});

it("tells the array of any other tensor by its dtype", () => {
  const read = (tensor: ReceivedTensor): number | bigint => {
    if (tensor.dtype === "int64") return tensor.data.reduce((sum, element) => sum + element, 0n);
    return tensor.data.reduce((sum, element) => sum + element, 0);
  };
  const { loss_fn_outputs } = combineOutputs([
    result({ ranks: { data: BigInt64Array.of(2n, 3n), dtype: "int64", shape: [2] } }),
    result({ ratios: { data: Float32Array.of(0.5, 1), dtype: "float32", shape: [2] } }),
  ]);
  const [first, second] = loss_fn_outputs;
  expectTypeOf(first?.ranks).toEqualTypeOf<ReceivedTensor | undefined>();
  expect([first?.ranks, second?.ratios].map((tensor) => tensor && read(tensor))).toEqual([5n, 1.5]);
});

it("refuses log-probabilities that are no float32", async () => {
  const { stub, training } = await openTraining();
  stub.on("forward_backward", () =>
    stub.accept(
      "ForwardBackwardOutput",
      result({ logprobs: { data: BigInt64Array.of(-1n, -1n), dtype: "int64", shape: [2] } }),
    ),
  );
  const pass = training.forwardBackward([datum(1)], "cross_entropy");
  await expect(pass).rejects.toThrow(ResponseError);
  await expect(pass).rejects.toThrow("the service gave logprobs of data[0] that must be float32, got int64");
});

it("names the datum of a tensor that its dtype does not describe, in a later request too", () => {
  const good = result({ logprobs: { data: Float32Array.of(-1), dtype: "float32", shape: [1] } });
  const list = result({ ranks: { data: [1], dtype: "int64", shape: [1] } });
  expect(() => combineOutputs([good, list])).toThrow(
    "the service gave a tensor ranks of data[1] that is no array of int64",
  );
});
