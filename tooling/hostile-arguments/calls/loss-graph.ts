import {
  checkLossRecord,
  compileLossGraph,
  graphLoss,
  type LossGraph,
  lossGraph,
} from "@tinkex/tensor/loss-graph";
import { TrapError, whole } from "../hostile-values.js";
import { call, type PublicCalls } from "../public-call.js";

/** A loss as a user writes it: without the input that it asks for it throws an error of its own. */
const nll: Parameters<typeof lossGraph>[2] = ({ logprobs }) => {
  if (logprobs === undefined) throw new TrapError();
  return { loss: logprobs.sum().neg() };
};

/** A graph as an argument, which is spoilt as a whole. */
export const graphArgument = () => whole(lossGraph("nll", { logprobs: 1 }, nll));

export const lossGraphCalls: PublicCalls = {
  lossGraph: call(lossGraph, () => ["nll", { logprobs: 1 }, nll]),
  graphLoss: call(graphLoss, () => [graphArgument()]),
  checkLossRecord: call(
    (graph: LossGraph) => checkLossRecord(graph, "createCustomLoss"),
    () => [graphArgument()],
  ),
  compileLossGraph: call(
    (graph: LossGraph) => compileLossGraph(graph, "createCustomLoss"),
    () => [graphArgument()],
  ),
};
