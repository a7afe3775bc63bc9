import { checkKnownNames } from "@tinkex/base";
import type { GraphFloat, GraphValue } from "@tinkex/types";
import type { GraphWriter, NodeResult } from "./graph-writer.js";

/**
 * A number of a graph: a plain number without fraction is an integer, as in Python, and `{ float: 1 }` is 1.0. The two differ only
 * beside integer tensors.
 */
export type LossNumber = number | bigint | GraphFloat;

/** A value of the graph, or a number. */
export type LossOperand = LossTensor | LossNumber;

/** Element types of a graph. */
export type LossDtype = "float32" | "int64" | "bool";

/** Dimensions that an operation works along. */
export interface AlongOptions {
  /** One dimension or several; negative ones count from the end. @defaultValue all */
  readonly dim?: number | readonly number[] | undefined;
  /** Keep them with the size 1. @defaultValue false */
  readonly keepdim?: boolean | undefined;
}

/** Part of an index: a place, a range, `"..."` for the dimensions between, or `null` for a new one. */
export type IndexPart =
  | number
  | null
  | "..."
  | {
      readonly from?: number | undefined;
      readonly to?: number | undefined;
      readonly step?: number | undefined;
    };

/** Makes the value of a node. */
export let lossTensor: (writer: GraphWriter, nodeName: string) => LossTensor;

/** Gives the node of a value; `undefined` for what is no value of a graph. */
export let nodeResultOf: (value: object) => NodeResult | undefined;

/**
 * A tensor that a loss graph will compute: each method adds one operation to the graph, with torch's meaning. Operands are
 * broadcast as in numpy.
 */
export class LossTensor {
  static {
    lossTensor = (writer, nodeName) => new LossTensor(writer, nodeName);
    nodeResultOf = (value) =>
      value instanceof LossTensor ? { writer: value.#writer, nodeName: value.#nodeName } : undefined;
  }

  readonly #writer: GraphWriter;
  readonly #nodeName: string;

  private constructor(writer: GraphWriter, nodeName: string) {
    this.#writer = writer;
    this.#nodeName = nodeName;
  }

  /** Adds, element by element. */
  add(other: LossOperand): LossTensor {
    return this.#function("operator.add", other);
  }
  /** Subtracts, element by element. */
  sub(other: LossOperand): LossTensor {
    return this.#function("operator.sub", other);
  }
  /** Multiplies, element by element. */
  mul(other: LossOperand): LossTensor {
    return this.#function("operator.mul", other);
  }
  /** Gives the quotient, a float also of integers. */
  div(other: LossOperand): LossTensor {
    return this.#function("operator.truediv", other);
  }
  /** Raises to a power, element by element. */
  pow(exponent: LossOperand): LossTensor {
    return this.#function("operator.pow", exponent);
  }
  /** Product of matrices, or of a matrix and a vector. */
  matmul(other: LossTensor): LossTensor {
    return this.#function("operator.matmul", other);
  }

  /** Changes the sign of each element. */
  neg(): LossTensor {
    return this.#function("operator.neg");
  }
  /** Absolute value of each element; the gradient at 0 is 0. */
  abs(): LossTensor {
    return this.#function("operator.abs");
  }
  /** -1, 0 or 1 of each element; the gradient is 0. */
  sign(): LossTensor {
    return this.#function("torch.sign");
  }
  /** Square of each element. */
  square(): LossTensor {
    return this.#function("torch.square");
  }
  /** Square root of each element, a float. */
  sqrt(): LossTensor {
    return this.#function("torch.sqrt");
  }
  /** Exponential of each element, a float. */
  exp(): LossTensor {
    return this.#function("torch.exp");
  }
  /** `exp(x) - 1`, exact also near 0. */
  expm1(): LossTensor {
    return this.#function("torch.expm1");
  }
  /** Natural logarithm of each element, a float. */
  log(): LossTensor {
    return this.#function("torch.log");
  }
  /** `log(1 + x)`, exact also near 0. */
  log1p(): LossTensor {
    return this.#function("torch.log1p");
  }
  /** `1 / (1 + exp(-x))` of each element. */
  sigmoid(): LossTensor {
    return this.#function("torch.sigmoid");
  }
  /** Hyperbolic tangent of each element. */
  tanh(): LossTensor {
    return this.#function("torch.tanh");
  }
  /** Each element, or 0 where it is negative. */
  relu(): LossTensor {
    return this.#function("torch.relu");
  }
  /** `log(1 + exp(x))`, which does not overflow: two operations. */
  softplus(): LossTensor {
    return this.logaddexp(this.zerosLike());
  }
  /** `log(sigmoid(x))`, which does not overflow: four operations. */
  logSigmoid(): LossTensor {
    return this.neg().softplus().neg();
  }

  /** Cuts to `[min, max]`; elements outside get no gradient. */
  clamp(bounds: {
    readonly min?: LossNumber | undefined;
    readonly max?: LossNumber | undefined;
  }): LossTensor {
    return this.#function("torch.clamp", undefined, { min: bounds.min, max: bounds.max });
  }
  /** Smaller one of each pair of elements; equal ones share the gradient. */
  minimum(other: LossTensor): LossTensor {
    return this.#function("torch.minimum", other);
  }
  /** Larger one of each pair of elements; equal ones share the gradient. */
  maximum(other: LossTensor): LossTensor {
    return this.#function("torch.maximum", other);
  }
  /** `log(exp(x) + exp(other))`, which does not overflow. */
  logaddexp(other: LossTensor): LossTensor {
    return this.#function("torch.logaddexp", other);
  }
  /** Puts a number wherever the mask is true. */
  maskedFill(mask: LossTensor, value: LossNumber): LossTensor {
    return this.#method("masked_fill", [mask, value]);
  }

  /** Tells of each pair whether the first is greater: bools. */
  gt(other: LossOperand): LossTensor {
    return this.#function("operator.gt", other);
  }
  /** Tells of each pair whether the first is greater or equal: bools. */
  ge(other: LossOperand): LossTensor {
    return this.#function("operator.ge", other);
  }
  /** Tells of each pair whether the first is less: bools. */
  lt(other: LossOperand): LossTensor {
    return this.#function("operator.lt", other);
  }
  /** Tells of each pair whether the first is less or equal: bools. */
  le(other: LossOperand): LossTensor {
    return this.#function("operator.le", other);
  }
  /** Tells of each pair whether both are equal: bools. */
  eq(other: LossOperand): LossTensor {
    return this.#function("operator.eq", other);
  }
  /** Tells of each pair whether they differ: bools. */
  ne(other: LossOperand): LossTensor {
    return this.#function("operator.ne", other);
  }
  /** True where both are: of bools. */
  and(other: LossTensor): LossTensor {
    return this.#function("operator.and_", other);
  }
  /** True where one or both are: of bools. */
  or(other: LossTensor): LossTensor {
    return this.#function("operator.or_", other);
  }
  /** True where the element is false or 0. */
  not(): LossTensor {
    return this.#function("torch.logical_not");
  }

  /** Sum of all elements, or along the dimensions `dim`. */
  sum(options: AlongOptions = {}): LossTensor {
    return this.#method("sum", [], alongOf(options));
  }
  /** Mean of all elements, or along the dimensions `dim`; of floats. */
  mean(options: AlongOptions = {}): LossTensor {
    return this.#method("mean", [], alongOf(options));
  }
  /** Largest element; equal ones share the gradient. */
  max(options: AlongOptions = {}): LossTensor {
    return isWhole(options) ? this.#method("max") : this.#method("amax", [], alongOf(options));
  }
  /** Smallest element; equal ones share the gradient. */
  min(options: AlongOptions = {}): LossTensor {
    return isWhole(options) ? this.#method("min") : this.#method("amin", [], alongOf(options));
  }
  /** `log(sum(exp(x)))` along the dimensions `dim`, which does not overflow. */
  logsumexp(options: AlongOptions & { readonly dim: number | readonly number[] }): LossTensor {
    return this.#function("torch.logsumexp", undefined, alongOf(options));
  }
  /** Shares that add up to 1 along one dimension. */
  softmax(dim: number): LossTensor {
    return this.#function("torch.softmax", undefined, { dim });
  }
  /** Logarithms of the shares that `softmax` gives, exact also where they are tiny. */
  logSoftmax(dim: number): LossTensor {
    return this.#function("torch.log_softmax", undefined, { dim });
  }
  /** Running sums along a dimension. */
  cumsum(dim: number): LossTensor {
    return this.#method("cumsum", [], { dim });
  }

  /** Elements by place, as `x[…]` in Python: `x.at(0)`, `x.at({ from: 1 })`, `x.at("...", null)`. */
  at(...parts: readonly IndexPart[]): LossTensor {
    const [first, ...others] = parts.map(indexValue);
    return this.#function("operator.getitem", others.length === 0 ? first : { tuple: [first, ...others] });
  }
  /** Turns the order around along dimensions. */
  flip(...dims: readonly number[]): LossTensor {
    return this.#method("flip", [{ tuple: dims }]);
  }
  /** @param sizes - one of them may be -1, for what is left */
  reshape(...sizes: readonly number[]): LossTensor {
    return this.#method("reshape", [{ tuple: sizes }]);
  }
  /** Exchanges two dimensions. */
  transpose(dim0: number, dim1: number): LossTensor {
    return this.#method("transpose", [dim0, dim1]);
  }
  /** Adds a dimension of size 1. */
  unsqueeze(dim: number): LossTensor {
    return this.#method("unsqueeze", [dim]);
  }

  /** Casts the elements; only floats pass a gradient on. */
  to(dtype: LossDtype): LossTensor {
    return this.#method("to", [{ dtype }]);
  }
  /** The same value as a constant: no gradient goes through it. */
  detach(): LossTensor {
    return this.#method("detach");
  }
  /** Zeros in the shape and dtype of this value. */
  zerosLike(options: { readonly dtype?: LossDtype | undefined } = {}): LossTensor {
    return this.#function("torch.zeros_like", undefined, dtypeOf(options));
  }
  /** Ones in the shape and dtype of this value. */
  onesLike(options: { readonly dtype?: LossDtype | undefined } = {}): LossTensor {
    return this.#function("torch.ones_like", undefined, dtypeOf(options));
  }
  /** A number in each place of the shape of this value. */
  fullLike(value: LossNumber, options: { readonly dtype?: LossDtype | undefined } = {}): LossTensor {
    return this.#function("torch.full_like", value, dtypeOf(options));
  }

  #function(target: string, other?: unknown, kwargs: Readonly<Record<string, unknown>> = {}): LossTensor {
    const args = other === undefined ? [this] : [this, other];
    return new LossTensor(this.#writer, this.#writer.add("call_function", target, args, kwargs));
  }

  #method(
    target: string,
    args: readonly unknown[] = [],
    kwargs: Readonly<Record<string, unknown>> = {},
  ): LossTensor {
    return new LossTensor(this.#writer, this.#writer.add("call_method", target, [this, ...args], kwargs));
  }
}

/** Tells whether all elements become one without dimensions, for which torch has functions of their own. */
function isWhole(options: AlongOptions): boolean {
  const { dim, keepdim } = alongOf(options);
  return dim === undefined && keepdim === undefined;
}

function alongOf(options: AlongOptions): Readonly<Record<string, GraphValue | undefined>> {
  checkKnownNames(options, { dim: true, keepdim: true }, "the options of a reduction");
  const { dim, keepdim } = options;
  const dims = typeof dim === "object" ? { tuple: dim } : dim;
  return { dim: dims, keepdim: keepdim === true ? true : undefined };
}

function dtypeOf(options: { readonly dtype?: LossDtype | undefined }): Readonly<Record<string, unknown>> {
  checkKnownNames(options, { dtype: true }, "the options of a constant");
  const { dtype } = options;
  return { dtype: dtype === undefined ? undefined : { dtype } };
}

function indexValue(part: IndexPart): GraphValue {
  if (part === null || typeof part === "number") return part;
  if (part === "...") return { ellipsis: true };
  checkKnownNames(part, { from: true, to: true, step: true }, "a range of at");
  return { slice: [part.from ?? null, part.to ?? null, part.step ?? null] };
}
