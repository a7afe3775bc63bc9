/**
 * The length of one axis: a number, or a product of symbols known only when the graph runs, such as `"rows"` or
 * `"2*time"`. Symbolic products are kept in one spelling (number first, symbols sorted), so equal lengths are equal
 * values.
 */
export type Dimension = number | string;

export type Shape = readonly Dimension[];

/** The product of lengths, e.g. `multiplyDimensions("time", 2)` is `"2*time"`. */
export function multiplyDimensions(...dimensions: readonly Dimension[]): Dimension {
  let factor = 1;
  const symbols: string[] = [];
  for (const dimension of dimensions) {
    for (const part of typeof dimension === "number" ? [dimension] : dimension.split("*")) {
      const value = Number(part);
      if (Number.isNaN(value)) symbols.push(String(part));
      else factor *= value;
    }
  }
  if (symbols.length === 0) return factor;
  const product = symbols.sort().join("*");
  return factor === 1 ? product : `${factor}*${product}`;
}

/** For messages: `[rows, time, 64]`. */
export function describeShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

export function sameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((dimension, axis) => dimension === right[axis]);
}
