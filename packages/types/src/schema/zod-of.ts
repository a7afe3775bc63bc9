import type * as z from "zod";
import type { RecordSchema } from "./record-schema.js";

/**
 * Gives the zod schema behind a schema that this package exports, to build others from it. What is exported is declared as a
 * {@link RecordSchema}, so that whoever reads a declaration, or compiles against it, needs nothing of zod.
 */
export function zodOf<Value>(schema: RecordSchema<Value>): z.ZodType<Value, Value> {
  // Every schema of this package is a zod schema.
  return schema as unknown as z.ZodType<Value, Value>;
}
