import type { CustomLoss } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { readPass } from "../../testing/examples.js";
import { openTraining } from "../../testing/open-training.js";

/** A loss of a fixed value and gradients of zero, with metrics. */
const fixed =
  (loss: number, metrics: Readonly<Record<string, number>> = {}): CustomLoss =>
  (_, logprobs) => ({ loss, metrics, gradients: logprobs.map((values) => new Float32Array(values.length)) });

const data = [{ model_input: [1], loss_fn_inputs: { target_tokens: [2], advantages: [3] } }];

describe("metrics of a custom loss", () => {
  it("newest-clients 26: loss:sum is the value of the loss, also where the caller has a metric of that name", async () => {
    const { training } = await openTraining();
    const { metrics } = await training.forwardBackwardCustom(data, fixed(-4, { "loss:sum": 99 }));
    expect(metrics["loss:sum"]).toBe(-4);
  });

  it("newest-clients 26: inputs that only the loss reads are not sent, and the loss sees them", async () => {
    const { stub, training } = await openTraining();
    let seen: unknown;
    await training.forwardBackwardCustom(data, (given, logprobs) => {
      seen = given[0]?.loss_fn_inputs.advantages;
      return fixed(1)(given, logprobs) as never;
    });
    expect(seen).toMatchObject({ data: Float32Array.of(3) });
    for (const { forward_backward_input } of stub.seen("forward_backward").map(readPass)) {
      expect(forward_backward_input.data[0]?.loss_fn_inputs).not.toHaveProperty("advantages");
    }
  });

  it("newest-clients 26: a service that gives no loss:sum is enough", async () => {
    const { stub, training } = await openTraining();
    stub.on("forward_backward", (request) =>
      stub.accept("ForwardBackwardOutput", {
        loss_fn_output_type: "ArrayRecord",
        loss_fn_outputs: readPass(request).forward_backward_input.data.map(() => ({
          logprobs: { data: Float32Array.of(-1), dtype: "float32", shape: [1] },
        })),
        metrics: {},
      }),
    );
    const { metrics } = await training.forwardBackwardCustom(data, fixed(7));
    expect(metrics).toEqual({ "loss:sum": 7 });
  });

  it("that its requests give and that cannot be joined are told of", async () => {
    const { stub, training, logger } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    stub.on("forward_backward", (request) => {
      const { seq_id, forward_backward_input } = readPass(request);
      return stub.accept("ForwardBackwardOutput", {
        loss_fn_output_type: "ArrayRecord",
        loss_fn_outputs: forward_backward_input.data.map(() => ({
          logprobs: { data: Float32Array.of(-1), dtype: "float32", shape: [1] },
        })),
        metrics: seq_id === 3 ? { "a:sum": 1, "b:sum": 2 } : { "a:sum": 1 },
      });
    });
    const { metrics } = await training.forwardBackwardCustom([...data, ...data], fixed(7));
    expect(metrics).toEqual({ "a:sum": 2, "loss:sum": 7 });
    expect(logger.debugLines).toContain("metrics of a call's requests that cannot be joined: b:sum");
  });
});
