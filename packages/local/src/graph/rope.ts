import { type GraphBuilder, microsoftDomain } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";
import type { RopeTables } from "./rope-tables.js";

/** The tables of a model inside a graph. */
export interface Rope {
  readonly cosines: Value;
  readonly sines: Value;
  readonly negativeSines: Value;
  /** int64: `[1]`, the position of every row's first token, or `[rows, time]`, the position of every token. */
  readonly positions: Value;
}

export function ropeValues(
  graph: GraphBuilder,
  tables: RopeTables,
  headSize: number,
  positions: Value,
): Rope {
  const shape = [tables.cosines.length / (headSize / 2), headSize / 2];
  return {
    cosines: graph.initializer("rope.cosines", "float32", shape, tables.cosines),
    sines: graph.initializer("rope.sines", "float32", shape, tables.sines),
    negativeSines: graph.initializer(
      "rope.negativeSines",
      "float32",
      shape,
      tables.sines.map((sine) => -sine),
    ),
    positions,
  };
}

/**
 * Turns each pair (i, i + headSize/2) of every head by its position's angle.
 *
 * @param input - `[rows, time, heads · headSize]`
 */
export const rotate = (graph: GraphBuilder, rope: Rope, input: Value, heads: number) =>
  rotaryEmbedding(graph, rope, rope.sines, input, heads);

/** dL/dx from dL/dy: the rotation is orthogonal, so its transpose turns by the opposite angle. */
export const rotateBackward = (graph: GraphBuilder, rope: Rope, gradient: Value, heads: number) =>
  rotaryEmbedding(graph, rope, rope.negativeSines, gradient, heads);

function rotaryEmbedding(graph: GraphBuilder, rope: Rope, sines: Value, input: Value, heads: number): Value {
  const [width, half] = [input.shape.at(-1), rope.cosines.shape.at(-1)];
  if (input.shape.length !== 3 || typeof half !== "number" || width !== heads * half * 2) {
    throw new Error(
      `RotaryEmbedding: ${heads} heads of twice ${half} do not fill [${input.shape.join(", ")}]`,
    );
  }
  return graph.node(
    {
      operator: "RotaryEmbedding",
      domain: microsoftDomain,
      inputs: [input, rope.positions, rope.cosines, sines],
      attributes: {
        interleaved: { int: 0 },
        num_heads: { int: heads },
        rotary_embedding_dim: { int: half * 2 },
      },
    },
    input.type,
    input.shape,
  );
}
