import { type Dimension, multiplyDimensions } from "../onnx/dimension.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, divide, multiply } from "../onnx/operators/elementwise.js";
import { loop } from "../onnx/operators/loop.js";
import { flattenRows } from "../onnx/operators/reshape.js";
import { lengthOf } from "../onnx/operators/shape.js";
import type { Span } from "../onnx/operators/slice.js";
import type { Value } from "../onnx/value.js";

/** One row of tokens, divided into blocks of equal length that are computed one after another. */
export interface Blocks {
  /** Tokens a block. */
  readonly length: number;
  /** Tokens of the row, int64 `[1]`. */
  readonly time: Value;
  /** Blocks of the row, int64 `[1]`. */
  readonly count: Value;
}

/** Name of the number of blocks in shapes. */
const COUNT = "blocks";

/** Length of a row that is divided into blocks. */
export const blockedTime = (blockLength: number): Dimension => multiplyDimensions(blockLength, COUNT);

/** @param tokens - `[1, blockedTime]` */
export function divideIntoBlocks(graph: GraphBuilder, tokens: Value, length: number): Blocks {
  const time = lengthOf(graph, tokens, 1);
  return { length, time, count: divide(graph, time, graph.intVector([length])) };
}

export interface BlockResults {
  readonly carried: readonly Value[];
  /** `[1, blockedTime, width]` */
  readonly joined: readonly Value[];
}

/**
 * Runs a body for each block. It gives the carried values for the next block, and values of `[1, length, width]` that are joined to a
 * row again.
 */
export function forEachBlock(
  graph: GraphBuilder,
  blocks: Blocks,
  carried: readonly Value[],
  write: (body: GraphBuilder, span: Span, carried: readonly Value[]) => BlockResults,
): BlockResults {
  const { length } = blocks;
  const results = loop(graph, {
    count: { value: blocks.count, dimension: COUNT },
    carried,
    write(body, turn, before) {
      const start = multiply(body, turn, body.intVector([length]));
      const end = add(body, start, body.intVector([length]));
      const written = write(body, { start, end, length }, before);
      return { carried: written.carried, stacked: written.joined };
    },
  });
  return { carried: results.carried, joined: results.stacked.map((value) => joinBlocks(graph, value)) };
}

/** `[blocks, 1, length, width]` to `[1, blockedTime, width]`. */
function joinBlocks(graph: GraphBuilder, stacked: Value): Value {
  const row = flattenRows(graph, stacked);
  return graph.node({ operator: "Unsqueeze", inputs: [row, graph.intVector([0])] }, row.type, [
    1,
    ...row.shape,
  ]);
}
