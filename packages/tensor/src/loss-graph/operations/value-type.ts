import { OperationFault } from "./operation.js";

/** Element types of a graph's values, as torch names them. */
export type ValueDtype = "bool" | "int64" | "float32";

/** Sizes by dimension; `undefined` where only the data will tell. */
export type Shape = readonly (number | undefined)[];

/** Type of a value as far as it is known: in full once the shapes and dtypes of the inputs are. */
export interface ValueType {
  readonly dtype: ValueDtype | undefined;
  readonly shape: Shape;
}

/** Type of a value of which everything is known. */
export interface ExactType {
  readonly dtype: ValueDtype;
  readonly shape: readonly number[];
}

/** Dimensions that a value may have. */
export const MAX_RANK = 8;

/** Elements that one value may have: what is larger was rarely meant, and would take the process's memory. */
export const MAX_ELEMENTS = 2 ** 26;

const ORDER: readonly ValueDtype[] = ["bool", "int64", "float32"];

/** Gives the type that operands are brought to before they are combined; `undefined` while that depends on the data. */
export function promoted(types: readonly ValueType[]): ValueDtype | undefined {
  const dtypes = types.map(({ dtype }) => dtype);
  if (dtypes.includes("float32")) return "float32";
  if (dtypes.includes(undefined)) return undefined;
  return ORDER.findLast((dtype) => dtypes.includes(dtype));
}

/** Joins shapes as numpy and torch do: aligned at the last dimension, sizes of 1 stretched. */
export function broadcastShapes(shapes: readonly Shape[]): Shape {
  const rank = Math.max(0, ...shapes.map(({ length }) => length));
  return Array.from({ length: rank }, (_, axis) => {
    const sizes = shapes.map((shape) => {
      const own = axis - rank + shape.length;
      return own < 0 ? 1 : shape[own];
    });
    const [size, ...others] = new Set(sizes.filter((each) => each !== undefined && each !== 1));
    if (others.length > 0) {
      throw new OperationFault(`shapes ${shapes.map(describeShape).join(" and ")} do not broadcast`);
    }
    if (size !== undefined) return size;
    return sizes.includes(undefined) ? undefined : 1;
  });
}

/** Counts the elements of a shape; `undefined` while a size is not known. */
export function elementCount(shape: Shape): number | undefined {
  let count: number | undefined = 1;
  for (const size of shape) count = size === undefined || count === undefined ? undefined : count * size;
  return count;
}

/** Writes a shape for messages: `[3, ?]`. */
export function describeShape(shape: Shape): string {
  return `[${shape.map((size) => size ?? "?").join(", ")}]`;
}

/**
 * Gives the place of a dimension counted from either end.
 *
 * @param rank - dimensions that there are; a scalar takes 0 and -1 too, as in torch
 */
export function wrapDim(dim: number, rank: number): number {
  const bound = Math.max(rank, 1);
  if (dim < -bound || dim >= bound) {
    throw new OperationFault(`dim must be from ${-bound} to ${bound - 1} for ${rank} dimensions, got ${dim}`);
  }
  return dim < 0 ? dim + bound : dim;
}
