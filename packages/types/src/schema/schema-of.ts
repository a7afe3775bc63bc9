import type { Records } from "../records.js";
import type { RecordSchema } from "./record-schema.js";
import { type RecordName, recordSchemas } from "./record-schemas.js";

const schemas: { readonly [Name in RecordName]: RecordSchema<Records[Name]> } = recordSchemas;

/** The schema of a record by its name, typed by the record. */
export function schemaOf<Name extends RecordName>(name: Name): RecordSchema<Records[Name]> {
  return schemas[name];
}
