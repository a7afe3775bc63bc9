import { type CheckIssue, type RecordName, type RecordSchema, type Records, schemaOf } from "@tinkex/types";
import * as z from "zod";
import { isRecord, MAX_ISSUES } from "../json/bounded-collections.js";
import { presentMembers, requestBody } from "./request-body.js";

/** Schemas for fields that this server reads in a way of its own. */
type OwnFields = Readonly<Record<string, z.ZodType>>;

/** Refuses, when it compiles, a field that is none of those allowed. */
type Only<Own, Allowed> = { readonly [Field in keyof Own]: Field extends Allowed ? Own[Field] : never };

/** Fields of a record as its own schema gives them. */
type FieldsTaken<Value, Taken> = { readonly [Field in keyof Value as Field & Taken]: Value[Field] };

/** Builder of the schema of a body. It is given the record first, since the compiler gets lost among all records otherwise. */
type BodyBuilder<Value> = <const Taken extends keyof Value & string, Own extends OwnFields>(
  taken: readonly Taken[],
  own: Own & Only<Own, Exclude<keyof Value, Taken>>,
) => z.ZodType<FieldsTaken<Value, Taken> & z.output<z.ZodObject<Own>>>;

/**
 * Gives the builder for the schema of a record as clients of every generation send it: unknown fields are ignored and `null` means
 * absent. The builder takes two arguments:
 *
 * 1. fields that must be as the record's own schema says. None that holds an array: its faults may be as many as its elements, and
 *    are all gathered
 * 2. schemas for fields that the server reads otherwise: because another generation leaves them out, because a wrong value must fail
 *    the operation and not its request, or because there is a limit
 */
export function recordBody<const Name extends RecordName>(name: Name): BodyBuilder<Records[Name]>;
export function recordBody(name: RecordName): unknown {
  return (taken: readonly string[], own: OwnFields): z.ZodType => {
    const ownBody = requestBody(own);
    // Without taken fields there is nothing to put together, which counts where a request holds many thousands of these.
    return taken.length === 0 ? ownBody : joinedBody(schemaOf(name), taken, ownBody);
  };
}

function joinedBody(schema: RecordSchema<unknown>, taken: readonly string[], ownBody: z.ZodType): z.ZodType {
  return z.unknown().transform((value, context) => {
    if (!isRecord(value)) {
      context.addIssue({ code: "invalid_type", expected: "object", input: value });
      return z.NEVER;
    }
    const fields = presentMembers(value, taken);
    // Faults of other fields, and of fields together, are not the schema's to find: it is shown the taken ones only.
    const faults = faultsOf(schema, fields).filter(({ path }) => taken.some((field) => field === path?.[0]));
    const read = ownBody.safeParse(value);
    for (const fault of [...faults, ...(read.error?.issues ?? [])].slice(0, MAX_ISSUES)) {
      // Schemas of records are zod's, which their declarations do not say, and so are their issues.
      context.issues.push({ ...(fault as z.core.$ZodIssue), input: undefined });
    }
    // Each field has gone through its schema; that of a record changes nothing.
    return Object.assign(fields, read.data);
  });
}

function faultsOf(schema: RecordSchema<unknown>, value: unknown): readonly CheckIssue[] {
  const outcome = schema["~standard"].validate(value);
  if (outcome instanceof Promise) throw new Error("the schema of a record answers at once");
  return outcome.issues ?? [];
}
