import { OperationFault } from "./operation.js";
import { describeShape, type Shape } from "./value-type.js";

/**
 * A selection of a value's elements: element `(i, j, …)` is the one at `offset + i * strides[0] + j * strides[1] + …` of the
 * row-major array. Strides are NaN where a size is not known yet.
 */
export interface View {
  readonly shape: Shape;
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The view of all elements in their order. */
export function wholeView(shape: Shape): View {
  const strides: number[] = [];
  let stride = 1;
  for (const size of shape.toReversed()) {
    strides.unshift(stride);
    stride *= size ?? Number.NaN;
  }
  return { shape, strides, offset: 0 };
}

/** Stretches a value to a larger shape: an element is read again along every dimension of size 1 that grows. */
export function stretchedView(shape: Shape, to: Shape): View {
  const { strides } = wholeView(shape);
  const added = to.length - shape.length;
  return {
    shape: to,
    strides: to.map((_, axis) =>
      axis < added || shape[axis - added] === 1 ? 0 : (strides[axis - added] ?? 0),
    ),
    offset: 0,
  };
}

/** Lists the places of a view's elements in the array it looks at, in row-major order. */
export function elementPlaces({ shape, strides, offset }: View): Int32Array {
  const sizes = exactShape(shape);
  const count = sizes.reduce((product, size) => product * size, 1);
  const places = new Int32Array(count);
  // One element again and again, as where a whole value is summed up.
  if (strides.every((stride) => stride === 0)) return places.fill(offset);
  const index = new Array<number>(sizes.length).fill(0);
  let place = offset;
  for (let element = 0; element < count; element += 1) {
    places[element] = place;
    for (let axis = sizes.length - 1; axis >= 0; axis -= 1) {
      const stride = strides[axis] ?? 0;
      const next = (index[axis] ?? 0) + 1;
      const size = sizes[axis] ?? 0;
      place += stride;
      index[axis] = next;
      if (next < size) break;
      place -= stride * size;
      index[axis] = 0;
    }
  }
  return places;
}

/** Gives a shape of which every size is known. */
export function exactShape(shape: Shape): readonly number[] {
  return shape.map((size) => {
    if (size === undefined)
      throw new OperationFault(`the shape ${describeShape(shape)} is not known in full`);
    return size;
  });
}
