import { ValidationError } from "@tinkex/base";
import type { CustomLossGraph, CustomLossNode, GraphValue } from "@tinkex/types";
import { PYTHON_NAMES } from "./python-names.js";

/** Levels that an argument may be nested, which is more than the record takes. */
const MAX_DEPTH = 64;

/** A value that stands for the result of a node. */
export interface NodeResult {
  readonly writer: GraphWriter;
  readonly nodeName: string;
}

/** Asks a builder's value for its node; `undefined` for anything else. */
export type NodeResultOf = (value: object) => NodeResult | undefined;

/** Writes the nodes of one graph in the order of the calls, with the names that the official tracer gives. */
export class GraphWriter {
  readonly #place: string;
  readonly #resultOf: NodeResultOf;
  readonly #nodes: CustomLossNode[] = [];
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** @param place - begins messages */
  constructor(place: string, resultOf: NodeResultOf) {
    this.#place = place;
    this.#resultOf = resultOf;
  }

  /** Adds a node. @returns its name, for later nodes to refer to */
  add(
    op: CustomLossNode["op"],
    target: string,
    args: readonly unknown[] = [],
    kwargs: Readonly<Record<string, unknown>> = {},
  ): string {
    const name = this.#uniqueName(target.split(".").at(-1) ?? target);
    const named = Object.entries(kwargs).filter(([, value]) => value !== undefined);
    this.#nodes.push({
      op,
      name,
      target,
      args: args.map((value) => this.#encoded(value, target)),
      kwargs: Object.fromEntries(named.map(([key, value]) => [key, this.#encoded(value, target)])),
    });
    return name;
  }

  get graph(): CustomLossGraph {
    return { format: 1, nodes: [...this.#nodes] };
  }

  /** Puts references in the place of values that a node gives; everything else is checked with the whole graph. */
  #encoded(value: unknown, target: string, depth = 0): GraphValue {
    // The graph's own check follows, with the place of what it refuses.
    if (typeof value !== "object" || value === null) return value as GraphValue;
    const result = this.#resultOf(value);
    if (result !== undefined) {
      if (result.writer === this) return { ref: result.nodeName };
      throw new ValidationError(
        `${this.#place}: an argument of ${target} belongs to another graph; use the values of this one`,
        { path: ["loss"] },
      );
    }
    if (depth > MAX_DEPTH) {
      throw new ValidationError(`${this.#place}: an argument of ${target} is nested too deep, or in itself`, {
        path: ["loss"],
      });
    }
    const encode = (member: unknown): GraphValue => this.#encoded(member, target, depth + 1);
    if (Array.isArray(value)) return value.map(encode);
    const entries = Object.entries(value).map(([key, member]) => [key, encode(member)] as const);
    // The graph's own check follows here too.
    return Object.fromEntries(entries) as unknown as GraphValue;
  }

  /** A name of its own: that of the operation, numbered where it is taken or Python's. */
  #uniqueName(wanted: string): string {
    const { base, number } = splitNumber(wanted);
    let count = number ?? this.#counts.get(base) ?? 0;
    let name = wanted;
    if (number === undefined && PYTHON_NAMES.has(wanted)) {
      count += 1;
      name = `${base}_${count}`;
    }
    while (this.#used.has(name)) {
      count += 1;
      name = `${base}_${count}`;
    }
    this.#used.add(name);
    this.#counts.set(base, count);
    return name;
  }
}

/** Takes the number off a name such as `sum_1`. */
function splitNumber(name: string): { readonly base: string; readonly number: number | undefined } {
  const cut = name.lastIndexOf("_");
  const digits = name.slice(cut + 1);
  const isNumbered =
    cut !== -1 && digits !== "" && [...digits].every((digit) => digit >= "0" && digit <= "9");
  return isNumbered
    ? { base: name.slice(0, cut), number: Number(digits) }
    : { base: name, number: undefined };
}
