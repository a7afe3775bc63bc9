import type { ForwardBackwardOutput, TensorData } from "@tinkex/types";
import type { EngineDatum, PassResult } from "../engine/engine.js";

/** The result record of a pass: log-probabilities per datum in the shape of its targets, and the summed loss. */
export function passOutput(data: readonly EngineDatum[], result: PassResult): ForwardBackwardOutput {
  return {
    loss_fn_output_type: "TorchLossReturn",
    loss_fn_outputs: data.map((datum, index) => ({ logprobs: logprobsOf(datum, result.logprobs[index]) })),
    metrics: { "loss:sum": result.lossSum },
  };
}

function logprobsOf(datum: EngineDatum, logprobs: Float32Array | undefined): TensorData {
  const length = datum.tokens.length;
  const shape = datum.targetsAreMatrix ? [length, datum.targetsPerToken] : [length];
  return { data: logprobs ?? new Float32Array(0), dtype: "float32", shape };
}
