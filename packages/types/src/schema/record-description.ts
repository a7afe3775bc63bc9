import { checkObject, checkString } from "@tinkex/base";
import type { RecordSchema } from "./record-schema.js";

/** Words for a record and its fields, as its declaration has them. */
export interface RecordDescription {
  readonly description: string;
  /** Words for each field that has some, by its name. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Finds the words for a record by its schema; `undefined` for one that has none. */
export type DescribeRecord = (schema: RecordSchema<unknown>) => RecordDescription | undefined;

/** Checks words that a function of the user's gave. @throws ValidationError */
export function checkDescription(words: RecordDescription): void {
  const what = "toJsonSchema: what options.describe gives";
  checkObject(words, what);
  checkString(words.description, `${what}, description,`);
  if (words.fields === undefined) return;
  checkObject(words.fields, `${what}, fields,`);
  for (const [name, field] of Object.entries(words.fields)) checkString(field, `${what}, fields.${name},`);
}
