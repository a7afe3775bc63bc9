import { MAX_JSON_DEPTH, ValidationError } from "@tinkex/base";
/** A field of a form, or several: arrays and objects become fields of their own. */
export type FormValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue };

/**
 * Flattens a form's fields to names and strings: `{ a: [1, 2], b: { c: true } }` is `a[]=1`, `a[]=2`, `b[c]=true`. What is null or
 * undefined is left out.
 */
export function formFields(fields: { readonly [name: string]: FormValue }): [name: string, text: string][] {
  return Object.entries(fields).flatMap(([name, value]) => flatten(name, value, 1));
}

function flatten(name: string, value: FormValue, depth: number): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [[name, String(value)]];
  if (depth > MAX_JSON_DEPTH) {
    throw new ValidationError(
      `multipartBody: fields has more than ${MAX_JSON_DEPTH} levels; does a value hold itself?`,
      {
        path: ["fields"],
      },
    );
  }
  if (isList(value)) return value.flatMap((item) => flatten(`${name}[]`, item, depth + 1));
  return Object.entries(value).flatMap(([key, item]) => flatten(`${name}[${key}]`, item, depth + 1));
}

/** `Array.isArray` does not tell a read-only array from an object. */
function isList(
  value: readonly FormValue[] | { readonly [name: string]: FormValue },
): value is readonly FormValue[] {
  return Array.isArray(value);
}
