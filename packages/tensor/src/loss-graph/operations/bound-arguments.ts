import type { CustomLossNode, GraphValue } from "@tinkex/types";
import { type Operation, OperationFault, type Value } from "./operation.js";
import type { ValueDtype } from "./value-type.js";

/** An operand: the number of the node that gives it, or a constant. */
export type Operand = number | Value;

/** Other names that torch takes for the same parameter. */
const ALIASES: Readonly<Record<string, string>> = { self: "input", axis: "dim", keepdims: "keepdim" };

/** The arguments of one node, by the names of the operation's parameters. Each is read once, by the kind that is wanted. */
export class BoundArguments {
  /** The operands in the order in which they were read. */
  readonly operands: Operand[] = [];
  readonly #given = new Map<string, GraphValue>();
  readonly #unread: Set<string>;
  readonly #nodeOf: (ref: string) => number;

  /** @param nodeOf - gives the number of an earlier node */
  constructor(
    node: CustomLossNode,
    { parameters, isVariadic }: Pick<Operation, "parameters" | "isVariadic">,
    nodeOf: (ref: string) => number,
  ) {
    this.#nodeOf = nodeOf;
    for (const [name, value] of positional(node.args ?? [], parameters, isVariadic === true)) {
      this.#given.set(name, value);
    }
    for (const [given, value] of Object.entries(node.kwargs ?? {})) {
      const name = parameters.includes(given) ? given : (ALIASES[given] ?? given);
      if (!parameters.includes(name)) {
        throw new OperationFault(`unknown argument "${given}" (known: ${parameters.join(", ")})`);
      }
      if (this.#given.has(name)) throw new OperationFault(`the argument "${name}" is there twice`);
      this.#given.set(name, value);
    }
    this.#unread = new Set(this.#given.keys());
  }

  /** Checks that every argument that was given has been read. */
  checkAllRead(): void {
    const [unread] = this.#unread;
    if (unread !== undefined) throw new OperationFault(`the argument "${unread}" does not fit the others`);
  }

  /** Tells whether an argument was given and is not None. */
  has(name: string): boolean {
    return (this.#given.get(name) ?? null) !== null;
  }

  /** Reads an operand that must be the result of a node. */
  tensor(name: string): void {
    const value = this.#take(name);
    if (!isRef(value)) throw wrongKind(name, "the result of a node", value);
    this.operands.push(this.#nodeOf(value.ref));
  }

  /** Reads an operand that may be a number or a boolean too. */
  tensorOrNumber(name: string): void {
    const value = this.#take(name);
    this.operands.push(isRef(value) ? this.#nodeOf(value.ref) : constantOf(name, value));
  }

  /** Reads a list of operands. */
  tensors(name: string): void {
    const list = listOf(this.#take(name));
    if (list === undefined || list.length === 0) throw wrongKind(name, "a list of results of nodes", list);
    for (const value of list) {
      if (!isRef(value)) throw wrongKind(name, "a list of results of nodes", value);
      this.operands.push(this.#nodeOf(value.ref));
    }
  }

  /**
   * Reads an operand that must be a constant.
   *
   * @returns its place among the operands; `undefined` for None or nothing
   */
  number(name: string): number | undefined {
    if (!this.has(name)) return this.#skip(name);
    this.operands.push(constantOf(name, this.#take(name)));
    return this.operands.length - 1;
  }

  /** Reads an integer that must be a constant. */
  integer(name: string, fallback?: number): number {
    if (fallback !== undefined && !this.has(name)) return this.#skip(name) ?? fallback;
    return integerOf(name, this.#take(name));
  }

  /** Reads one or more integers; `undefined` for None or nothing. */
  integers(name: string): readonly number[] | undefined {
    if (!this.has(name)) return this.#skip(name);
    const value = this.#take(name);
    return (listOf(value) ?? [value]).map((member) => integerOf(name, member));
  }

  /** Reads a boolean, false where nothing was given. */
  flag(name: string): boolean {
    if (!this.has(name)) return this.#skip(name) ?? false;
    const value = this.#take(name);
    if (typeof value !== "boolean") throw wrongKind(name, "true or false", value);
    return value;
  }

  /** Reads a dtype; `undefined` for None or nothing. */
  dtype(name: string): ValueDtype | undefined {
    if (!this.has(name)) return this.#skip(name);
    const value = this.#take(name);
    const dtype = typeof value === "object" && value !== null && "dtype" in value ? value.dtype : undefined;
    if (dtype === "float32" || dtype === "int64" || dtype === "bool") return dtype;
    throw wrongKind(name, '{"dtype": "float32"}, "int64" or "bool"', dtype ?? value);
  }

  /** Reads an argument as it is, for the operation to take apart. */
  raw(name: string): GraphValue {
    return this.#take(name);
  }

  #take(name: string): GraphValue {
    const value = this.#given.get(name);
    if (value === undefined) throw new OperationFault(`the argument "${name}" is missing`);
    this.#unread.delete(name);
    return value;
  }

  #skip(name: string): undefined {
    this.#unread.delete(name);
    return undefined;
  }
}

/** Pairs positional arguments with the names of parameters; with the last one all that are left over, if it takes any number. */
function positional(
  args: readonly GraphValue[],
  parameters: readonly string[],
  isVariadic: boolean,
): readonly (readonly [name: string, value: GraphValue])[] {
  const last = parameters.length - 1;
  if (args.length > parameters.length && !isVariadic) {
    throw new OperationFault(`takes at most ${parameters.length} arguments, got ${args.length}`);
  }
  const isSpread = isVariadic && args.length > parameters.length;
  const single = isSpread ? args.slice(0, last) : args;
  const paired = single.map((value, position) => [parameters[position] ?? "", value] as const);
  return isSpread ? [...paired, [parameters[last] ?? "", args.slice(last)]] : paired;
}

/** Gives the members of a list or tuple; `undefined` for anything else. */
export function listOf(value: GraphValue): readonly GraphValue[] | undefined {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null && "tuple" in value ? value.tuple : undefined;
}

/** @throws OperationFault for what is no integer */
export function integerOf(name: string, value: GraphValue): number {
  const integer = typeof value === "bigint" ? Number(value) : value;
  if (typeof integer === "number" && Number.isSafeInteger(integer)) return integer;
  throw wrongKind(name, "an integer", value);
}

function isRef(value: GraphValue): value is { readonly ref: string } {
  return typeof value === "object" && value !== null && "ref" in value;
}

/** A number of Python as a tensor without dimensions: its kind decides what it is promoted to. */
function constantOf(name: string, value: GraphValue): Value {
  const scalar = (dtype: ValueDtype, number: number): Value => ({
    dtype,
    shape: [],
    data: Float64Array.of(number),
  });
  if (typeof value === "boolean") return scalar("bool", value ? 1 : 0);
  if (typeof value === "bigint") return scalar("int64", Number(value));
  if (typeof value === "number") {
    return scalar(Number.isInteger(value) && !Object.is(value, -0) ? "int64" : "float32", value);
  }
  if (typeof value === "object" && value !== null && "float" in value) {
    const { float } = value;
    return scalar("float32", typeof float === "number" ? float : FLOAT_WORDS[float]);
  }
  throw wrongKind(name, "the result of a node, or a number", value);
}

const FLOAT_WORDS = {
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
} as const;

function wrongKind(name: string, wanted: string, value: unknown): OperationFault {
  const shown = JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" ? `${member}` : member,
  );
  return new OperationFault(`the argument "${name}" must be ${wanted}, got ${shown?.slice(0, 80)}`);
}
