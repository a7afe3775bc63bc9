import type { CreateCustomLossRequest } from "@tinkex/types";

/**
 * A loss as a graph of operations, in the records that the service takes: plain data, which can be kept as JSON, built by `lossGraph`
 * or written by hand. It computes the loss of one datum; those of all datums add up.
 */
export interface LossGraph extends Pick<CreateCustomLossRequest, "name" | "inputs" | "graph"> {}
