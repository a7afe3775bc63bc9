import type { RecordSchema } from "./schema/record-schema.js";
import type { recordSchemas } from "./schema/record-schemas.js";

/** The type of every record, by the record's name. */
export type Records = {
  readonly [Name in keyof typeof recordSchemas]: (typeof recordSchemas)[Name] extends RecordSchema<
    infer Value
  >
    ? Value
    : never;
};
