import * as z from "zod";
import { nearestName } from "./nearest-name.js";

/**
 * A set of names that may grow on the server: editors offer the known ones, any other string passes.
 *
 * @example `Open<"stop" | "length">`
 */
export type Open<Names extends string> = Names | (string & {});

/** Names we receive: any string, the known ones documented. */
export function openName(names: readonly string[]) {
  return z.string().meta({ examples: [...names] });
}

/** Names we send: one of these, and the error offers the nearest. */
export function closedName<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, {
    error: ({ input }) => {
      const nearest = typeof input === "string" ? nearestName(input, names) : undefined;
      const given = typeof input === "string" ? `"${input}"` : typeof input;
      return nearest === undefined
        ? `must be one of ${names.map((name) => `"${name}"`).join(", ")}, not ${given}`
        : `unknown name ${given}, did you mean "${nearest}"?`;
    },
  });
}

/** The constant `type` of a record: optional, and the same value when given. */
export function sentType<const Name extends string>(name: Name) {
  return z.literal(name).optional();
}

/** The `type` of an answer: tolerated whatever it says, since the call already tells what is expected. */
export function receivedType() {
  return z.string().exactOptional();
}
