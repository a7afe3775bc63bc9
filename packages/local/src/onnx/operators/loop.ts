import { type Dimension, describeShape, sameShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** Results of one turn of a loop. */
export interface LoopTurn {
  /** The carried values for the next turn, in their shapes. */
  readonly carried: readonly Value[];
  /** Values that are kept of every turn. */
  readonly stacked: readonly Value[];
}

export interface LoopRequest {
  /** Number of turns, known when the graph runs. */
  readonly count: { readonly value: Value; readonly dimension: Dimension };
  /** Values before the first turn. */
  readonly carried?: readonly Value[];
  /** Writes the body. It may read every value of `graph`. @param turn - number of the turn, an int64 vector of length 1 */
  readonly write: (body: GraphBuilder, turn: Value, carried: readonly Value[]) => LoopTurn;
}

/** Repeats a body: gives the carried values behind the last turn, and what was kept of all turns along a new first axis. */
export function loop(graph: GraphBuilder, { count, carried = [], write }: LoopRequest): LoopTurn {
  const body = graph.bodyBuilder();
  const turn = body.input("turn", "int64", []);
  const goesOn = body.input("goesOn", "bool", []);
  const before = carried.map(({ type, shape }, index) => body.input(`carried.${index}`, type, shape));
  const oneTurn = body.node({ operator: "Reshape", inputs: [turn, body.intVector([1])] }, "int64", [1]);
  const written = write(body, oneTurn, before);
  if (written.carried.length !== carried.length) {
    throw new Error(`Loop: must carry on ${carried.length} values, got ${written.carried.length}`);
  }
  carried.forEach(({ shape }, index) => {
    const next = written.carried[index]?.shape ?? [];
    if (!sameShape(shape, next)) {
      throw new Error(
        `Loop: carried value ${index} must stay ${describeShape(shape)}, got ${describeShape(next)}`,
      );
    }
  });
  const copy = (value: Value) =>
    body.node({ operator: "Identity", inputs: [value] }, value.type, value.shape);
  const bodyGraph = body.buildBody([
    copy(goesOn),
    ...written.carried.map(copy),
    ...written.stacked.map(copy),
  ]);
  const outputs = graph.nodeWithOutputs(
    { operator: "Loop", inputs: [scalarOf(graph, count.value), undefined, ...carried], body: bodyGraph },
    [
      ...carried.map(({ type, shape }) => ({ type, shape })),
      ...written.stacked.map(({ type, shape }) => ({ type, shape: [count.dimension, ...shape] })),
    ],
  );
  return { carried: outputs.slice(0, carried.length), stacked: outputs.slice(carried.length) };
}

function scalarOf(graph: GraphBuilder, value: Value): Value {
  return graph.node({ operator: "Squeeze", inputs: [value] }, value.type, []);
}
