import { BINARY_OPERATIONS } from "./binary-operations.js";
import { CAST_OPERATIONS } from "./cast-operations.js";
import { CHOICE_OPERATIONS } from "./choice-operations.js";
import { JOINING_OPERATIONS } from "./joining-operations.js";
import type { Operation } from "./operation.js";
import { REDUCTION_OPERATIONS } from "./reduction-operations.js";
import { RUNNING_OPERATIONS } from "./running-operations.js";
import { UNARY_OPERATIONS } from "./unary-operations.js";
import { VIEW_OPERATIONS } from "./view-operations.js";

const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...UNARY_OPERATIONS,
  ...BINARY_OPERATIONS,
  ...CHOICE_OPERATIONS,
  ...REDUCTION_OPERATIONS,
  ...RUNNING_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...JOINING_OPERATIONS,
  ...CAST_OPERATIONS,
};

/** Python's operators by their function in the module `operator`, and the operation that each is. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["add", "sub", "mul", "pow", "neg", "pos", "abs", "invert", "matmul", "getitem"].map((name) => [
      name,
      name,
    ]),
  ),
  ...Object.fromEntries(["gt", "ge", "lt", "le", "eq", "ne"].map((name) => [name, name])),
  truediv: "div",
  floordiv: "floor_divide",
  mod: "remainder",
  and_: "and",
  or_: "or",
};

/** Operations that are neither a function of `torch` nor a method of its own name. */
const INNER: readonly string[] = [
  "and",
  "or",
  "invert",
  "pos",
  "getitem",
  "where_method",
  "functional_softmax",
  "functional_log_softmax",
];

/** Methods that no function of `torch` is. */
const METHODS_ONLY: readonly string[] = ["to", "float", "long", "bool", "view"];

/** Functions of `torch` that no method is. */
const FUNCTIONS_ONLY: readonly string[] = ["cat", "stack", "zeros_like", "ones_like", "full_like", "where"];

/** Further names of functions and methods of torch. */
const SYNONYMS: Readonly<Record<string, string>> = {
  absolute: "abs",
  negative: "neg",
  clip: "clamp",
  true_divide: "div",
  divide: "div",
  multiply: "mul",
  subtract: "sub",
  concat: "cat",
  view: "reshape",
};

/** Operations by the target of a `call_function` node. */
export const FUNCTIONS: ReadonlyMap<string, Operation> = new Map([
  ...named("torch.", METHODS_ONLY),
  ...Object.entries(OPERATORS).flatMap(([name, operation]) => entry(`operator.${name}`, operation)),
  ...entry("torch.nn.functional.softmax", "functional_softmax"),
  ...entry("torch.nn.functional.log_softmax", "functional_log_softmax"),
]);

/** Operations by the target of a `call_method` node; the first argument is the tensor. */
export const METHODS: ReadonlyMap<string, Operation> = new Map([
  ...named("", FUNCTIONS_ONLY),
  ...entry("where", "where_method"),
]);

function named(prefix: string, without: readonly string[]): [string, Operation][] {
  const names = Object.keys(OPERATIONS).filter((name) => !INNER.includes(name) && !without.includes(name));
  const synonyms = Object.entries(SYNONYMS).filter(
    ([synonym, name]) => names.includes(name) && !without.includes(synonym),
  );
  return [
    ...names.flatMap((name) => entry(`${prefix}${name}`, name)),
    ...synonyms.flatMap(([synonym, name]) => entry(`${prefix}${synonym}`, name)),
  ];
}

function entry(target: string, name: string): [string, Operation][] {
  const operation = OPERATIONS[name];
  return operation === undefined ? [] : [[target, operation]];
}
