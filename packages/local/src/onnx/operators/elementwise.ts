import type { ElementType } from "../element-type.js";
import { type GraphBuilder, microsoftDomain } from "../graph-builder.js";
import type { Value } from "../value.js";
import { broadcastShapes } from "./broadcast-shapes.js";

export const add = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Add", left, right);
export const subtract = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Sub", left, right);
export const multiply = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Mul", left, right);
export const divide = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Div", left, right);
export const minimum = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Min", left, right);
export const maximum = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "Max", left, right);

export const negate = (graph: GraphBuilder, value: Value) => unary(graph, "Neg", value);
export const exponential = (graph: GraphBuilder, value: Value) => unary(graph, "Exp", value);
export const sigmoid = (graph: GraphBuilder, value: Value) => unary(graph, "Sigmoid", value);

/** `x · sigmoid(x)` in one node. */
export function silu(graph: GraphBuilder, value: Value): Value {
  const attributes = { alpha: { float: 1 } };
  return graph.node(
    { operator: "QuickGelu", domain: microsoftDomain, inputs: [value], attributes },
    value.type,
    value.shape,
  );
}

export const equal = (graph: GraphBuilder, left: Value, right: Value) =>
  binary(graph, "Equal", left, right, "bool");
export const greaterOrEqual = (graph: GraphBuilder, left: Value, right: Value) =>
  binary(graph, "GreaterOrEqual", left, right, "bool");
export const and = (graph: GraphBuilder, left: Value, right: Value) => binary(graph, "And", left, right);
export const not = (graph: GraphBuilder, value: Value) => unary(graph, "Not", value);

/** `condition ? yes : no`, element by element: what is not chosen leaves no trace, be it infinite or NaN. */
export function select(graph: GraphBuilder, condition: Value, yes: Value, no: Value): Value {
  if (condition.type !== "bool" || yes.type !== no.type) {
    throw new Error(`Where: must be bool ? T : T, got ${condition.type} ? ${yes.type} : ${no.type}`);
  }
  const shape = broadcastShapes("Where", condition.shape, yes.shape, no.shape);
  return graph.node({ operator: "Where", inputs: [condition, yes, no] }, yes.type, shape);
}

function binary(
  graph: GraphBuilder,
  operator: string,
  left: Value,
  right: Value,
  type: ElementType = left.type,
): Value {
  if (left.type !== right.type) {
    throw new Error(
      `${operator}: operands must be of one type, got ${left.name} of ${left.type} and ${right.name} of ${right.type}`,
    );
  }
  const shape = broadcastShapes(operator, left.shape, right.shape);
  return graph.node({ operator, inputs: [left, right] }, type, shape);
}

function unary(graph: GraphBuilder, operator: string, value: Value): Value {
  return graph.node({ operator, inputs: [value] }, value.type, value.shape);
}
