import type { CustomLossNode, GraphValue } from "@tinkex/types";
import { listOf } from "../operations/bound-arguments.js";
import { OperationFault } from "../operations/operation.js";
import type { LossProgram } from "./loss-program.js";

/** Names of metrics: the prefix keeps them apart from the service's own, the suffix says how those of the datums are combined. */
const METRIC_NAME = /^custom\/[a-z0-9_./-]{1,64}:(?:sum|mean)$/;

/**
 * Reads the node that says what a graph returns: the loss, and metrics by name.
 *
 * @param valueNumberOf - gives the number of the value of a node
 */
export function readOutput(
  { args = [], kwargs = {} }: CustomLossNode,
  valueNumberOf: (ref: string) => number,
): Pick<LossProgram, "loss" | "metrics"> {
  const [returned] = args;
  const pair = returned === undefined ? undefined : listOf(returned);
  if (pair?.length !== 2 || args.length !== 1 || Object.keys(kwargs).length > 0) {
    throw new OperationFault("must return a pair: the loss, and the metrics by name");
  }
  const [loss = null, metrics = null] = pair;
  if (typeof metrics !== "object" || metrics === null || !("dict" in metrics)) {
    throw new OperationFault('must return its metrics as {"dict": {…}}');
  }
  const named = Object.entries(metrics.dict);
  for (const [name] of named) checkMetricName(name);
  return {
    loss: valueNumberOf(refOf(loss, "the loss")),
    metrics: named.map(
      ([name, value]) => [name, valueNumberOf(refOf(value, `the metric "${name}"`))] as const,
    ),
  };
}

function checkMetricName(name: string): void {
  if (METRIC_NAME.test(name)) return;
  throw new OperationFault(
    `the metric "${name.slice(0, 90)}" must be named custom/<name>:sum or custom/<name>:mean, with a name of 1 to 64 of a-z, 0-9 and _./-`,
  );
}

function refOf(value: GraphValue, what: string): string {
  if (typeof value === "object" && value !== null && "ref" in value) return value.ref;
  throw new OperationFault(`${what} must be the result of a node, not a constant`);
}
