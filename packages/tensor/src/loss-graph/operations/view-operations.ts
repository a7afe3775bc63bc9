import type { BoundArguments } from "./bound-arguments.js";
import { indexedView, readIndex } from "./index-items.js";
import { type BoundOperation, type Operation, OperationFault } from "./operation.js";
import { describeShape, elementCount, type Shape, wrapDim } from "./value-type.js";
import { elementPlaces, type View, wholeView } from "./view.js";

/** An operation that selects or rearranges elements; the gradient goes back to where each came from. */
function bindView(viewOf: (shape: Shape) => View): BoundOperation {
  return {
    typeOf: ([type]) => ({ dtype: type?.dtype, shape: viewOf(type?.shape ?? []).shape }),
    evaluate: ({ values: [input], result }) => {
      if (input === undefined) return;
      const places = elementPlaces(viewOf(input.shape));
      for (let index = 0; index < places.length; index += 1) {
        result.data[index] = input.data[places[index] ?? 0] ?? 0;
      }
    },
    differentiate: ({ values: [input], gradient, into: [target] }) => {
      if (input === undefined || target === undefined) return;
      const places = elementPlaces(viewOf(input.shape));
      for (let index = 0; index < places.length; index += 1) {
        const place = places[index] ?? 0;
        target[place] = (target[place] ?? 0) + (gradient[index] ?? 0);
      }
    },
  };
}

/** An operation on one tensor whose other arguments say which elements it gives. */
function viewing(
  parameters: readonly string[],
  read: (args: BoundArguments) => (shape: Shape) => View,
  form: Pick<Operation, "isVariadic"> = {},
): Operation {
  return {
    ...form,
    parameters: ["input", ...parameters],
    bind: (args) => {
      args.tensor("input");
      return bindView(read(args));
    },
  };
}

function transposed(shape: Shape, dim0: number, dim1: number): View {
  const axes = [...shape.keys()];
  const first = wrapDim(dim0, shape.length);
  const second = wrapDim(dim1, shape.length);
  if (shape.length > 0) {
    axes[first] = second;
    axes[second] = first;
  }
  return permuted(shape, axes);
}

function permuted(shape: Shape, axes: readonly number[]): View {
  const { strides } = wholeView(shape);
  return {
    shape: axes.map((axis) => shape[axis]),
    strides: axes.map((axis) => strides[axis] ?? 0),
    offset: 0,
  };
}

function flipped(shape: Shape, dims: readonly number[]): View {
  const whole = wholeView(shape);
  const axes = dims.map((dim) => wrapDim(dim, shape.length));
  let { offset } = whole;
  const strides = whole.strides.map((stride, axis) => {
    if (!axes.includes(axis)) return stride;
    offset += stride * Math.max((shape[axis] ?? Number.NaN) - 1, 0);
    return -stride;
  });
  return { shape, strides, offset };
}

function reshaped(shape: Shape, wanted: readonly number[]): View {
  const count = elementCount(shape);
  const known = wanted.filter((size) => size !== -1).reduce((product, size) => product * size, 1);
  const openCount = wanted.filter((size) => size === -1).length;
  if (openCount > 1 || wanted.some((size) => size < -1)) {
    throw new OperationFault(`the shape must have sizes, at most one of them -1, got [${wanted.join(", ")}]`);
  }
  const open = count === undefined ? undefined : count / known;
  const fits =
    open === undefined || (openCount === 0 ? open === 1 || count === known : Number.isInteger(open));
  if (!fits) {
    throw new OperationFault(
      `a value of shape ${describeShape(shape)} cannot take the shape [${wanted.join(", ")}]`,
    );
  }
  return wholeView(wanted.map((size) => (size === -1 ? open : size)));
}

function flattened(shape: Shape, start: number, end: number): View {
  const first = wrapDim(start, shape.length);
  const last = wrapDim(end, shape.length);
  if (first > last) throw new OperationFault(`start_dim must not be behind end_dim, got ${start} and ${end}`);
  const merged = elementCount(shape.slice(first, last + 1));
  return wholeView([...shape.slice(0, first), merged, ...shape.slice(last + 1)]);
}

/** Takes dimensions away that have one element; others stay, as in torch. */
function squeezed(shape: Shape, dims: readonly number[]): View {
  const axes = dims.map((dim) => wrapDim(dim, shape.length));
  const open = axes.find((axis) => axis < shape.length && shape[axis] === undefined);
  if (open !== undefined) {
    throw new OperationFault(
      `cannot tell beforehand that dimension ${open} has one element; use .at or .sum there`,
    );
  }
  return wholeView(shape.filter((size, axis) => size !== 1 || !axes.includes(axis)));
}

function unsqueezed(shape: Shape, dim: number): View {
  const axis = wrapDim(dim, shape.length + 1);
  return wholeView([...shape.slice(0, axis), 1, ...shape.slice(axis)]);
}

/** Reads integers that must be given. */
function required(args: BoundArguments, name: string): readonly number[] {
  const integers = args.integers(name);
  if (integers === undefined) throw new OperationFault(`the argument "${name}" is missing`);
  return integers;
}

/** Operations that select or rearrange elements, by torch's name. */
export const VIEW_OPERATIONS: Readonly<Record<string, Operation>> = {
  getitem: viewing(["index"], (args) => {
    const items = readIndex(args.raw("index"));
    return (shape) => indexedView(shape, items);
  }),
  transpose: viewing(["dim0", "dim1"], (args) => {
    const [dim0, dim1] = [args.integer("dim0"), args.integer("dim1")];
    return (shape) => transposed(shape, dim0, dim1);
  }),
  t: viewing([], () => (shape) => {
    if (shape.length > 2) throw new OperationFault(`takes at most 2 dimensions, got ${shape.length}`);
    return shape.length < 2 ? wholeView(shape) : transposed(shape, 0, 1);
  }),
  flip: viewing(
    ["dims"],
    (args) => {
      const dims = required(args, "dims");
      return (shape) => flipped(shape, dims);
    },
    { isVariadic: true },
  ),
  reshape: viewing(
    ["shape"],
    (args) => {
      const wanted = required(args, "shape");
      return (shape) => reshaped(shape, wanted);
    },
    { isVariadic: true },
  ),
  flatten: viewing(["start_dim", "end_dim"], (args) => {
    const [start, end] = [args.integer("start_dim", 0), args.integer("end_dim", -1)];
    return (shape) => flattened(shape, start, end);
  }),
  squeeze: viewing(["dim"], (args) => {
    const dims = args.integers("dim");
    if (dims === undefined)
      throw new OperationFault("needs a dim here: without one the result's shape is unknown");
    return (shape) => squeezed(shape, dims);
  }),
  unsqueeze: viewing(["dim"], (args) => {
    const dim = args.integer("dim");
    return (shape) => unsqueezed(shape, dim);
  }),
};
