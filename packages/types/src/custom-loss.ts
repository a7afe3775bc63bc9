import * as z from "zod";
import { closedName, receivedType, sentType } from "./schema/names.js";
import { countSchema } from "./schema/numbers.js";
import { receivedObject } from "./schema/received-object.js";
import { sentObject } from "./schema/sent-object.js";

/** A parameter of a custom loss; the first is `logprobs`. */
export interface CustomLossInput {
  readonly name: string;
  /** 0: a scalar; 1: `[T]`; 2: `[T, K]`. */
  readonly rank: 0 | 1 | 2;
}

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

/** Uploads a loss that the server then runs. Since 0.38. */
export interface CreateCustomLossRequest {
  readonly session_id: string;
  /** The session's own count of losses, from 0. */
  readonly custom_loss_seq_id: number;
  /** For people. */
  readonly name: string;
  readonly inputs: readonly CustomLossInput[];
  readonly graph: CustomLossGraph;
  readonly type?: "create_custom_loss" | undefined;
}

/** The result of uploading a loss. Since 0.38. */
export interface CreateCustomLossResponse {
  /** Goes into the loss config of `custom`. */
  readonly loss_id: string;
  readonly type?: string;
}

/** Also NaN and the infinities, which are written as words. */
const anyNumberSchema = z
  .custom<number>((value) => typeof value === "number", "must be a number")
  .meta({ type: "number" });

const graphWordSchema = z.union([z.null(), z.boolean(), z.string(), z.number(), z.bigint()]);

export const graphValueSchema: z.ZodType<GraphValue> = z.lazy(() =>
  z.union([
    graphWordSchema,
    z.array(graphValueSchema),
    z.strictObject({ float: z.union([anyNumberSchema, z.enum(["inf", "-inf", "nan"])]) }),
    z.strictObject({ ref: z.string() }),
    z.strictObject({ tuple: z.array(graphValueSchema) }),
    z.strictObject({ dict: z.record(z.string(), graphValueSchema) }),
    z.strictObject({ slice: z.tuple([graphValueSchema, graphValueSchema, graphValueSchema]) }),
    z.strictObject({ ellipsis: z.literal(true) }),
    z.strictObject({ dtype: z.string() }),
    z.strictObject({ device: z.string() }),
    z.strictObject({ layout: z.string() }),
    z.strictObject({ memory_format: z.string() }),
  ]),
);

export const customLossNodeSchema: z.ZodType<CustomLossNode> = sentObject(() => ({
  op: closedName(["placeholder", "get_attr", "call_function", "call_method", "call_module", "output"]),
  name: z.string().min(1),
  target: z.string().min(1),
  args: z.array(graphValueSchema).optional(),
  kwargs: z.record(z.string(), graphValueSchema).optional(),
}));

export const customLossInputSchema: z.ZodType<CustomLossInput> = sentObject(() => ({
  name: z.string().regex(/^[a-z_][a-z0-9_]{0,63}$/, "must match [a-z_][a-z0-9_]{0,63}"),
  rank: z.literal([0, 1, 2]),
}));

export const customLossGraphSchema: z.ZodType<CustomLossGraph> = sentObject(() => ({
  format: z.literal(1).optional(),
  nodes: z.array(customLossNodeSchema),
}));

export const createCustomLossRequestSchema: z.ZodType<CreateCustomLossRequest> = sentObject(() => ({
  session_id: z.string().min(1),
  custom_loss_seq_id: countSchema,
  name: z.string(),
  inputs: z.array(customLossInputSchema).min(1).max(16),
  graph: customLossGraphSchema,
  type: sentType("create_custom_loss"),
})).check((context) => {
  const [first] = context.value.inputs as readonly CustomLossInput[];
  if (first === undefined || (first.name === "logprobs" && first.rank !== 0)) return;
  context.issues.push({
    code: "custom",
    message: "must begin with logprobs of rank 1 or 2",
    path: ["inputs", 0],
    input: first,
  });
});

export const createCustomLossResponseSchema: z.ZodType<CreateCustomLossResponse> = receivedObject(() => ({
  loss_id: z.string(),
  type: receivedType(),
}));
