import { checkObject } from "@tinkex/base";
import type { DescribeRecord, RecordDescription } from "../schema/record-description.js";
import type { RecordSchema } from "../schema/record-schema.js";
import { RECORD_DESCRIPTIONS } from "./data/record-descriptions.js";

/**
 * Finds what a schema's record and its fields mean, as the declarations say it.
 *
 * @param schemas - schemas by the names of their records; all of them, or those that are used
 * @returns a function for the option `describe` of `toJsonSchema`; it gives `undefined` for a schema that is none of these
 * @throws ValidationError for `schemas` that are no object
 *
 * @example
 * toJsonSchema(datumSchema, { describe: describeRecords({ Datum: datumSchema }) });
 * @example
 * toJsonSchema(sampleRequestSchema, { describe: describeRecords(recordSchemas) });
 */
export function describeRecords(schemas: Readonly<Record<string, RecordSchema<unknown>>>): DescribeRecord {
  checkObject(schemas, "describeRecords: schemas", "recordSchemas");
  const descriptions = new Map<RecordSchema<unknown>, RecordDescription>();
  for (const [name, schema] of Object.entries(schemas)) {
    const description = Object.hasOwn(RECORD_DESCRIPTIONS, name) ? RECORD_DESCRIPTIONS[name] : undefined;
    if (description !== undefined) descriptions.set(schema, description);
  }
  return (schema) => descriptions.get(schema);
}
