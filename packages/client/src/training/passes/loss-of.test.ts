import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { datum } from "../../testing/examples.js";
import { openTraining } from "../../testing/open-training.js";
import { lossOf } from "./loss-of.js";

describe("the loss of a pass", () => {
  // NovaSky-AI/SkyRL and agentscope-ai/TuFT differ in the names of their metrics.
  it.each([
    [
      { "loss:sum": 8, "loss:mean": 2, loss: 1 },
      { value: 8, metric: "loss:sum" },
    ],
    [
      { loss: 1, "loss:mean": 2, "num_tokens:sum": 4 },
      { value: 2, metric: "loss:mean" },
    ],
    [
      { loss: 1, "surrogate_loss:sum": 5 },
      { value: 1, metric: "loss" },
    ],
    [
      { "loss:sum": 0, "loss:mean": 2 },
      { value: 0, metric: "loss:sum" },
    ],
  ])("of %j is read from the first metric that means it, and says from which", (metrics, loss) => {
    expect(lossOf({ metrics })).toEqual(loss);
  });

  it.each([{}, { "total_loss:sum": 3, "surrogate_loss:sum": 2 }, Object.create({ "loss:sum": 1 })])(
    "of %j, which has none, is undefined",
    (metrics) => {
      expect(lossOf({ metrics })).toBeUndefined();
    },
  );

  it("that the service could not compute is NaN, and no other metric stands in for it", () => {
    const metrics = { "loss:sum": Number.NaN, "loss:mean": 2 };
    expect(lossOf({ metrics })).toEqual({ value: Number.NaN, metric: "loss:sum" });
  });

  it.each([
    [undefined, /^lossOf: the output must be an object, .*got undefined$/],
    [{}, /^lossOf: metrics must be an object, .*got undefined$/],
    [{ metrics: [1] }, /^lossOf: metrics must be an object, .*got an array$/],
  ])("of %j is refused, naming the place", (output, message) => {
    expect(() => lossOf(output as never)).toThrow(ValidationError);
    expect(() => lossOf(output as never)).toThrow(message);
  });

  it("is read from what a pass gives, and from what a step of training gives", async () => {
    const { stub, training } = await openTraining();
    for (const path of ["forward_backward", "forward"]) {
      stub.on(path, () =>
        stub.accept("ForwardBackwardOutput", {
          loss_fn_output_type: "ArrayRecord",
          loss_fn_outputs: [{}],
          metrics: { "loss:mean": 0.5, "num_tokens:sum": 2 },
        }),
      );
    }
    const { forwardBackward } = await training.trainStep([datum(1)], "cross_entropy");
    expect(lossOf(forwardBackward)).toEqual({ value: 0.5, metric: "loss:mean" });
    const alone = await training.forward([datum(1)], "cross_entropy");
    expect(lossOf(alone)).toEqual({ value: 0.5, metric: "loss:mean" });
  });
});
