import * as z from "zod";
import { typedInput } from "./objects.js";
import { plainMessage } from "./plain-message.js";

/**
 * Makes the schema of one of several records. The kind is decided first, so that an error speaks of the record that was meant,
 * with the path inside it, and not of all alternatives at once.
 *
 * @param choose - gives the schema for a value, or what is wrong with the value when none fits
 */
export function oneOfKinds<Value>(
  kinds: readonly z.ZodType<Value, Value>[],
  choose: (value: object) => z.ZodType<Value, Value> | string,
): z.ZodType<Value, Value> {
  const schema = typedInput(
    z
      .custom<unknown>()
      .transform((value, context): Value => {
        if (typeof value !== "object" || value === null) {
          context.issues.push({ code: "invalid_type", expected: "object", input: value });
          return z.NEVER;
        }
        const schema = choose(value);
        if (typeof schema === "string") {
          context.issues.push({ code: "custom", message: schema, input: value });
          return z.NEVER;
        }
        const outcome = schema.safeParse(value, { error: plainMessage });
        if (outcome.success) return outcome.data;
        for (const issue of outcome.error.issues) {
          context.issues.push({ code: "custom", message: issue.message, path: issue.path, input: value });
        }
        return z.NEVER;
      })
      .meta({ [ALTERNATIVES]: kinds }),
  );
  choosers.set(schema, choose);
  return schema;
}

type Chooser = (value: object) => z.core.$ZodType | string;

const choosers = new WeakMap<object, Chooser>();

/** Gives what chooses the schema for a value, of a schema of several kinds; undefined for any other schema. */
export function chooserOf(schema: object): Chooser | undefined {
  return choosers.get(schema);
}

/** Makes the schema of one of several records by their `type`: the known ones as their schemas say, any other one as it is. */
export function byType<Value extends { readonly type: string }>(
  known: Readonly<Record<string, z.ZodType<Value, Value>>>,
  other: z.ZodType<Value, Value>,
): z.ZodType<Value, Value> {
  return oneOfKinds([...Object.values(known), other], (value) => {
    const type: unknown = "type" in value ? value.type : undefined;
    return (typeof type === "string" && Object.hasOwn(known, type) ? known[type] : undefined) ?? other;
  });
}

/** Key under which the JSON Schema export finds the alternatives. */
export const ALTERNATIVES = "x-alternatives";
