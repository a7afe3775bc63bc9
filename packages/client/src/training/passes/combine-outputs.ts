import type { ForwardBackwardOutput } from "@tinkex/types";
import { reduceMetrics } from "./reduce-metrics.js";

/** What a training pass gives, joined from all requests it travelled in. */
export interface PassOutput extends ForwardBackwardOutput {
  /** Metrics whose reduction is a hash, exactly; in `metrics` they are rounded to a double. */
  readonly exact_metrics: Readonly<Record<string, bigint>>;
}

/** Joins the results of a call's chunks, in the order of the data: outputs in a row, metrics reduced. */
export function combineOutputs(results: readonly ForwardBackwardOutput[]): PassOutput {
  const { metrics, exactMetrics } = reduceMetrics(
    results.map((result) => ({ metrics: result.metrics, datumCount: result.loss_fn_outputs.length })),
  );
  return {
    loss_fn_output_type: results[0]?.loss_fn_output_type ?? "",
    loss_fn_outputs: results.flatMap((result) => result.loss_fn_outputs),
    metrics,
    exact_metrics: exactMetrics,
  };
}
