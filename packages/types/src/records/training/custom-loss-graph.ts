import { formatPath } from "@tinkex/base";
import * as z from "zod";
import { closedName, unknownName } from "../../schema/names.js";
import { sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";

/**
 * A floating-point literal of a graph. The server tells `1.0` from `1`, which JavaScript does not: a plain number without
 * fraction is an integer, `{ float: 1 }` is 1.0. A number with a fraction may stand alone.
 */
export interface GraphFloat {
  readonly float: number | "inf" | "-inf" | "nan";
}

/** An argument of a graph node. Integers beyond 2⁵³ are bigints. */
export type GraphValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | GraphFloat
  | { readonly ref: string }
  | { readonly tuple: readonly GraphValue[] }
  | { readonly dict: { readonly [key: string]: GraphValue } }
  | { readonly slice: readonly [start: GraphValue, stop: GraphValue, step: GraphValue] }
  | { readonly ellipsis: true }
  | { readonly dtype: string }
  | { readonly device: string }
  | { readonly layout: string }
  | { readonly memory_format: string }
  | readonly GraphValue[];

/** One step of a graph, after the format of torch.fx. */
export interface CustomLossNode {
  readonly op: "placeholder" | "get_attr" | "call_function" | "call_method" | "call_module" | "output";
  /** Unique; later nodes refer to it. */
  readonly name: string;
  /** A parameter, a function such as `torch.exp` or `operator.mul`, a tensor method, or `output`. */
  readonly target: string;
  /** @defaultValue [] */
  readonly args?: readonly GraphValue[] | undefined;
  /** @defaultValue {} */
  readonly kwargs?: { readonly [name: string]: GraphValue } | undefined;
}

/** A loss as the steps that compute it, in their order. */
export interface CustomLossGraph {
  /** @defaultValue 1, the only one so far */
  readonly format?: 1 | undefined;
  readonly nodes: readonly CustomLossNode[];
}

/** Also NaN and the infinities, which are written as words. */
const anyNumberSchema = z
  .custom<number>((value) => typeof value === "number", "must be a number")
  .meta({ type: "number" });

const graphWordSchema = z.union([z.null(), z.boolean(), z.string(), anyNumberSchema, z.bigint()]);

export const graphValueSchema: RecordSchema<GraphValue> = z.lazy(() =>
  z.union(
    [
      graphWordSchema,
      z.array(zodOf(graphValueSchema)),
      z.strictObject({ float: z.union([anyNumberSchema, z.enum(["inf", "-inf", "nan"])]) }),
      z.strictObject({ ref: z.string() }),
      z.strictObject({ tuple: z.array(zodOf(graphValueSchema)) }),
      z.strictObject({ dict: z.record(z.string(), zodOf(graphValueSchema)) }),
      z.strictObject({
        slice: z.tuple([zodOf(graphValueSchema), zodOf(graphValueSchema), zodOf(graphValueSchema)]),
      }),
      z.strictObject({ ellipsis: z.literal(true) }),
      z.strictObject({ dtype: z.string() }),
      z.strictObject({ device: z.string() }),
      z.strictObject({ layout: z.string() }),
      z.strictObject({ memory_format: z.string() }),
    ],
    { error: ({ input }) => graphFault(input) },
  ),
);

/** Deeper than any graph that was traced from a function. */
const DEEPEST = 48;

type Path = readonly (string | number)[];

/** Finds the fault of a value, and its place. Walks it once: the union's own error speaks of all kinds at once. */
function graphFault(value: unknown, path: Path = []): string | undefined {
  if (path.length > DEEPEST) return `is nested deeper than ${DEEPEST} levels, or refers to itself`;
  const fault = (message: string): string =>
    path.length === 0 ? message : `${formatPath(path)}: ${message}`;
  if (Array.isArray(value)) return firstGraphFault(value.entries(), path);
  if (typeof value !== "object" || value === null) {
    return graphWordSchema.safeParse(value).success
      ? undefined
      : fault(`must be null, a boolean, a string, a number, a list or an object, got a ${typeof value}`);
  }
  const [[kind, content] = ["", undefined], ...others] = Object.entries(value);
  if (kind === "" || others.length > 0) {
    return fault(`an object must have one field, got ${Object.keys(value).join(", ") || "none"}`);
  }
  const check = Object.hasOwn(graphKinds, kind) ? graphKinds[kind] : undefined;
  return check === undefined
    ? fault(unknownName(kind, Object.keys(graphKinds)))
    : check(content, [...path, kind]);
}

function firstGraphFault(
  members: Iterable<readonly [string | number, unknown]>,
  path: Path,
): string | undefined {
  for (const [key, member] of members) {
    const fault = graphFault(member, [...path, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

type GraphCheck = (content: unknown, path: Path) => string | undefined;

function expecting(fits: (content: unknown) => boolean, expected: string): GraphCheck {
  return (content, path) => (fits(content) ? undefined : `${formatPath(path)}: must be ${expected}`);
}

const text = expecting((content) => typeof content === "string", "a string");

function listOf(length?: number): GraphCheck {
  return (content, path) => {
    if (Array.isArray(content) && (length === undefined || content.length === length))
      return firstGraphFault(content.entries(), path);
    return `${formatPath(path)}: must be a list${length === undefined ? "" : ` of ${length}`}`;
  };
}

/** The kinds of object that a value may be, by their one field. */
const graphKinds: Readonly<Record<string, GraphCheck>> = {
  float: expecting(
    (content) => typeof content === "number" || ["inf", "-inf", "nan"].includes(String(content)),
    'a number, "inf", "-inf" or "nan"',
  ),
  ref: text,
  tuple: listOf(),
  dict: (content, path) =>
    typeof content === "object" && content !== null && !Array.isArray(content)
      ? firstGraphFault(Object.entries(content), path)
      : `${formatPath(path)}: must be an object`,
  slice: listOf(3),
  ellipsis: expecting((content) => content === true, "true"),
  dtype: text,
  device: text,
  layout: text,
  memory_format: text,
};

export const customLossNodeSchema: RecordSchema<CustomLossNode> = sentObject(() => ({
  op: closedName(["placeholder", "get_attr", "call_function", "call_method", "call_module", "output"]),
  name: z.string().min(1),
  target: z.string().min(1),
  args: withDefault(z.array(zodOf(graphValueSchema)), []),
  kwargs: withDefault(z.record(z.string(), zodOf(graphValueSchema)), {}),
})).check((context) => {
  const { args = [], kwargs = {} } = context.value as CustomLossNode;
  const message =
    firstGraphFault(args.entries(), ["args"]) ?? firstGraphFault(Object.entries(kwargs), ["kwargs"]);
  // The union above has found all faults but one: it takes what refers to itself.
  if (message !== undefined) context.issues.push({ code: "custom", message, input: context.value });
});

export const customLossGraphSchema: RecordSchema<CustomLossGraph> = sentObject(() => ({
  format: withDefault(z.literal(1), 1),
  nodes: z.array(zodOf(customLossNodeSchema)),
}));
