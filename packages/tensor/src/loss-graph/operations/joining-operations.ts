import { castNumbers } from "./elementwise.js";
import { type BoundOperation, type Operation, OperationFault, type Value } from "./operation.js";
import { describeShape, promoted, type Shape, type ValueType, wrapDim } from "./value-type.js";
import { elementPlaces, exactShape, wholeView } from "./view.js";

/** Puts values one after the other along a dimension that each has. */
function bindCat(dim: number, shapeOf: (shape: Shape) => Shape): BoundOperation {
  /** Places of each value's elements in the result. */
  const placesIn = (result: Value, values: readonly Value[]): readonly Int32Array[] => {
    const { strides } = wholeView(result.shape);
    const axis = wrapDim(dim, result.shape.length);
    let start = 0;
    return values.map((value) => {
      const shape = exactShape(shapeOf(value.shape));
      const places = elementPlaces({ shape, strides, offset: start * (strides[axis] ?? 0) });
      start += shape[axis] ?? 0;
      return places;
    });
  };
  return {
    typeOf: (types) => ({ dtype: promoted(types), shape: joinedShape(types, dim, shapeOf) }),
    evaluate: ({ values, result, make }) => {
      for (const [index, places] of placesIn(result, values).entries()) {
        const value = values[index];
        const data = value === undefined ? [] : castNumbers(value, result.dtype, make);
        for (let element = 0; element < places.length; element += 1) {
          result.data[places[element] ?? 0] = data[element] ?? 0;
        }
      }
    },
    differentiate: ({ values, result, gradient, into }) => {
      for (const [index, places] of placesIn(result, values).entries()) {
        const target = into[index];
        if (target === undefined) continue;
        for (let element = 0; element < places.length; element += 1) {
          target[element] = (target[element] ?? 0) + (gradient[places[element] ?? 0] ?? 0);
        }
      }
    },
  };
}

function joinedShape(types: readonly ValueType[], dim: number, shapeOf: (shape: Shape) => Shape): Shape {
  const shapes = types.map(({ shape }) => shapeOf(shape));
  const [first = []] = shapes;
  const axis = wrapDim(dim, first.length);
  const shown = (): string => types.map(({ shape }) => describeShape(shape)).join(" and ");
  if (first.length === 0)
    throw new OperationFault("values without dimensions have none to be joined along; use stack");
  return first.map((_, place) => {
    const sizes = shapes.map((shape) => {
      if (shape.length !== first.length) throw new OperationFault(`shapes ${shown()} do not fit together`);
      return shape[place];
    });
    if (place === axis) {
      return sizes.reduce(
        (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
        0,
      );
    }
    const [size, ...others] = new Set(sizes.filter((each) => each !== undefined));
    if (others.length > 0) throw new OperationFault(`shapes ${shown()} do not fit together`);
    return size;
  });
}

/** A product of matrices, or of a matrix and a vector: vectors are rows on the left and columns on the right. */
const bindMatmul: BoundOperation = {
  typeOf: ([left, right]) => {
    const [a, b] = [left?.shape ?? [], right?.shape ?? []];
    for (const shape of [a, b]) {
      if (shape.length < 1 || shape.length > 2) {
        throw new OperationFault(`takes values of 1 or 2 dimensions, got ${describeShape(shape)}`);
      }
    }
    const [inner, outer] = [a.at(-1), b[0]];
    if (inner !== undefined && outer !== undefined && inner !== outer) {
      throw new OperationFault(`shapes ${describeShape(a)} and ${describeShape(b)} have no product`);
    }
    const dtypes = [left?.dtype, right?.dtype];
    if (!dtypes.includes(undefined) && (dtypes[0] !== dtypes[1] || dtypes[0] === "bool")) {
      throw new OperationFault(`both values must have one dtype, got ${dtypes.join(" and ")}`);
    }
    return { dtype: dtypes[0] ?? dtypes[1], shape: [...a.slice(0, -1), ...b.slice(1)] };
  },
  evaluate: ({ values: [a, b], result }) => {
    if (a === undefined || b === undefined) return;
    const [rows, inner, columns] = matrixSizes(a, b);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        let sum = 0;
        for (let k = 0; k < inner; k += 1) {
          sum += (a.data[row * inner + k] ?? 0) * (b.data[k * columns + column] ?? 0);
        }
        result.data[row * columns + column] = sum;
      }
    }
  },
  differentiate: ({ values: [a, b], gradient, into: [intoA, intoB] }) => {
    if (a === undefined || b === undefined) return;
    const [rows, inner, columns] = matrixSizes(a, b);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const own = gradient[row * columns + column] ?? 0;
        for (let k = 0; k < inner; k += 1) {
          const [left, right] = [row * inner + k, k * columns + column];
          if (intoA !== undefined) intoA[left] = (intoA[left] ?? 0) + own * (b.data[right] ?? 0);
          if (intoB !== undefined) intoB[right] = (intoB[right] ?? 0) + own * (a.data[left] ?? 0);
        }
      }
    }
  },
};

function matrixSizes(a: Value, b: Value): [rows: number, inner: number, columns: number] {
  const inner = b.shape[0] ?? 0;
  return [a.shape.length === 2 ? (a.shape[0] ?? 0) : 1, inner, b.shape.length === 2 ? (b.shape[1] ?? 0) : 1];
}

/** Operations that make one value of several, by torch's name. */
export const JOINING_OPERATIONS: Readonly<Record<string, Operation>> = {
  cat: {
    parameters: ["tensors", "dim"],
    bind: (args) => {
      args.tensors("tensors");
      return bindCat(args.integer("dim", 0), (shape) => shape);
    },
  },
  stack: {
    parameters: ["tensors", "dim"],
    bind: (args) => {
      args.tensors("tensors");
      const dim = args.integer("dim", 0);
      return bindCat(dim, (shape) => {
        const axis = wrapDim(dim, shape.length + 1);
        return [...shape.slice(0, axis), 1, ...shape.slice(axis)];
      });
    },
  },
  matmul: {
    parameters: ["input", "other"],
    bind: (args) => {
      args.tensor("input");
      args.tensor("other");
      return bindMatmul;
    },
  },
};
