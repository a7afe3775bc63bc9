import type { ApiGeneration, RecordSchema } from "@tinkex/types";

/** Rules for one field of a record that we send. */
export interface SentField {
  /** The first generation whose SDK sends the field. */
  readonly since: ApiGeneration;
  /** A field of 0.4 alone (`"only"`), or one that 0.4 knows by another name (`"never"`). */
  readonly in04?: "only" | "never";
  /** The value that the server assumes when the field is absent. */
  readonly default?: unknown;
  /** The field travels as null when it is unset: the one way in which the API spells "none" here. */
  readonly nullWhenUnset?: true;
  /** Gives the value that is written in place of the one in memory. */
  readonly encode?: (value: unknown) => unknown;
  /** The records inside the field. */
  readonly holds?: Holds;
}

/** Nested records of a field: the value itself, each item of an array, or each value of a map. */
export interface Holds {
  readonly as: "record" | "list" | "map";
  /** The record that they are, or a choice by the value. */
  readonly record: SentRecord | ((value: object) => SentRecord);
}

/** A record that we send: its fields in the order they are written. */
export interface SentRecord {
  readonly fields: Readonly<Record<string, SentField>>;
  /** Fields of the record that JSON cannot carry, each with what to do instead. False is no value of such a field. */
  readonly withoutJsonForm?: Readonly<Record<string, string>>;
  /** Further fields for a generation, made from those of the record. */
  readonly derived?: (value: object, generation: ApiGeneration) => Record<string, unknown>;
}

/** A record that is the body of a request. */
export interface RequestRecord<Value> extends SentRecord {
  readonly schema: RecordSchema<Value>;
}

/** Makes a record whose field table must name every field of `Value`, no more and no less. */
export function sentRecord<Value>(
  fields: Readonly<Record<keyof Value & string, SentField>>,
  changes: Omit<SentRecord, "fields"> = {},
): SentRecord {
  return { fields, ...changes };
}

/** Makes the record of the body of a request, with the schema that checks it. */
export function requestRecord<Value>(
  schema: RecordSchema<Value>,
  fields: Readonly<Record<keyof Value & string, SentField>>,
  changes: Omit<SentRecord, "fields"> = {},
): RequestRecord<Value> {
  return { schema, fields, ...changes };
}
