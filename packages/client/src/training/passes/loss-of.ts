import { checkObject } from "@tinkex/base";
import type { ForwardBackwardOutput } from "@tinkex/types";

/** Metrics that hold the loss of a pass, the first choice first: services differ in which of them they send. */
const LOSS_METRICS = ["loss:sum", "loss:mean", "loss"] as const satisfies readonly PassLoss["metric"][];

/** The loss of a training pass, and the metric it was read from. */
export interface PassLoss {
  /** In nats. NaN when the service could not compute it. */
  readonly value: number;
  /** `loss:sum` is the sum over all tokens, each times its weight; `loss:mean` is the service's mean; `loss` is not said. */
  readonly metric: "loss:sum" | "loss:mean" | "loss";
}

/**
 * Reads the loss of a training pass from the first of the metrics `loss:sum`, `loss:mean` and `loss` that the service sent.
 *
 * @returns `undefined` where the service sent none of them
 * @throws ValidationError when `output` has no metrics
 *
 * @example
 * const loss = lossOf(await training.forwardBackward(data, "cross_entropy"));
 * console.log(loss?.value, loss?.metric); // 12.5 "loss:sum"
 */
export function lossOf(output: Pick<ForwardBackwardOutput, "metrics">): PassLoss | undefined {
  checkObject(output, "lossOf: the output", '{ metrics: { "loss:sum": 1 } }');
  const { metrics } = output;
  checkObject(metrics, "lossOf: metrics", '{ "loss:sum": 1 }');
  for (const metric of LOSS_METRICS) {
    if (!Object.hasOwn(metrics, metric)) continue;
    const value = metrics[metric];
    if (typeof value === "number") return { value, metric };
  }
  return undefined;
}
