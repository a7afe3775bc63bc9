export {
  type LossOperations,
  type LossRanks,
  type LossResults,
  lossGraph,
} from "./loss-graph/build/build-loss-graph.js";
export type {
  AlongOptions,
  IndexPart,
  LossDtype,
  LossNumber,
  LossOperand,
  LossTensor,
} from "./loss-graph/build/loss-tensor.js";
export type { LossGraph } from "./loss-graph/loss-graph.js";
export {
  type BoundDatum,
  bindData,
  type CheckedDatum,
  checkData,
  checkInputs,
} from "./loss-graph/program/bind-data.js";
export { checkLossRecord, compileLossGraph } from "./loss-graph/program/compile-loss-graph.js";
export { graphLoss, sumOfLosses } from "./loss-graph/program/graph-loss.js";
export type { LossProgram } from "./loss-graph/program/loss-program.js";
