import { describeValue, nearestName } from "@tinkex/base";
import * as z from "zod";

/**
 * A set of names that may grow on the server: editors offer the known ones, any other string passes.
 *
 * @example `Open<"stop" | "length">`
 */
export type Open<Names extends string> = Names | (string & {});

/** Makes the schema of names we receive: any string, the known ones documented. */
export function openName(names: readonly string[]) {
  return z.string().meta({ examples: [...names] });
}

/** Makes the schema of names we send: one of these, and the error offers the nearest. */
export function closedName<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, { error: ({ input }) => unknownName(input, names) });
}

/** Makes the error of a union of records that we send, for a `key` that is none of the kinds. */
export function unknownKind(key: string, names: readonly string[]) {
  return (issue: { readonly code?: string | undefined; readonly input?: unknown }): string | undefined => {
    if (issue.code !== "invalid_union" || typeof issue.input !== "object" || issue.input === null)
      return undefined;
    return unknownName((issue.input as Readonly<Record<string, unknown>>)[key], names);
  };
}

/** Says that a name is unknown: the one that was probably meant, or all of them. */
export function unknownName(given: unknown, names: readonly string[]): string {
  const nearest = typeof given === "string" ? nearestName(given, names) : undefined;
  const shown = describeValue(given);
  return nearest === undefined
    ? `must be one of ${names.map((name) => `"${name}"`).join(", ")}, got ${shown}`
    : `unknown name ${shown}, did you mean "${nearest}"?`;
}

/** Makes the schema of the constant `type` of a record: optional, and the same value when given. */
export function sentType<const Name extends string>(name: Name) {
  return z.literal(name).optional().meta({ default: name });
}

/** Makes the schema of the `type` of an answer: tolerated whatever it says, since the call already tells what is expected. */
export function receivedType() {
  return z.string().exactOptional();
}
