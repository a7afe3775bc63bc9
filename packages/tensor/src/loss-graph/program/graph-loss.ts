import { ResponseError } from "@tinkex/base";
import type { CustomLoss, CustomLossValue } from "@tinkex/types";
import type { LossGraph } from "../loss-graph.js";
import { elementCount } from "../operations/value-type.js";
import { type BoundDatum, bindData } from "./bind-data.js";
import { compileLossGraph } from "./compile-loss-graph.js";
import type { LossProgram } from "./loss-program.js";
import { runProgram } from "./run-program.js";

/**
 * Makes a custom loss of a graph that runs here, with its gradients: for `forwardBackwardCustom` with any service, and to look at
 * a loss without one.
 *
 * @throws ValidationError at once for a graph that cannot run, naming node and operation; when it runs, for datums that lack what it reads
 *
 * @example
 * const loss = graphLoss(lossGraph("nll", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum().neg() })));
 */
export function graphLoss(graph: LossGraph): CustomLoss {
  const program = compileLossGraph(graph, "graphLoss");
  return (data, logprobs) => sumOfLosses(program, bindData(program, data, "graphLoss"), logprobs);
}

/**
 * Runs a program on each datum: losses add up, and metrics as their names say.
 *
 * @param logprobs - one array for each datum
 */
export function sumOfLosses(
  program: LossProgram,
  data: readonly BoundDatum[],
  logprobs: readonly Float32Array[],
): CustomLossValue {
  let loss = 0;
  const gradients: Float64Array[] = [];
  const sums = new Float64Array(program.metrics.length);
  for (const [index, { types, inputs, place }] of data.entries()) {
    const given = logprobs[index] ?? new Float32Array(0);
    const count = elementCount(types[0]?.shape ?? []);
    if (given.length !== count) {
      throw new ResponseError(
        `${place}: the service gave ${given.length} logprobs for ${count} target_tokens; the loss needs one each`,
      );
    }
    const result = runProgram(program, types, [given, ...inputs], place);
    loss += result.loss;
    gradients.push(result.gradient);
    for (const [metric, value] of result.metrics.entries()) sums[metric] = (sums[metric] ?? 0) + value;
  }
  const metrics = program.metrics.map(([name], metric) => {
    const sum = sums[metric] ?? Number.NaN;
    return [name, name.endsWith(":mean") ? sum / data.length : sum] as const;
  });
  return { loss, gradients, metrics: Object.fromEntries(metrics) };
}
