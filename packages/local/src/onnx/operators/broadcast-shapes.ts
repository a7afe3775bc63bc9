import { type Dimension, describeShape, type Shape } from "../dimension.js";

/** The shape of an element-wise result: axes are matched from the last, and length 1 stretches. */
export function broadcastShapes(operator: string, ...shapes: readonly Shape[]): Shape {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    let length: Dimension = 1;
    for (const shape of shapes) {
      const own = shape[shape.length - rank + axis] ?? 1;
      if (own === 1 || own === length) continue;
      if (length !== 1) {
        throw new Error(`${operator}: shapes ${shapes.map(describeShape).join(" and ")} do not go together`);
      }
      length = own;
    }
    return length;
  });
}
