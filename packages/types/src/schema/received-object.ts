import * as z from "zod";

/**
 * An object that we receive: unknown fields are kept, and `null` in a field that may be absent reads as absent.
 * Services write null for "unset" in places where their own schema says the field is optional or has a default.
 * Built when first used, like {@link sentObject}.
 */
export function receivedObject<Shape extends z.core.$ZodLooseShape>(shapeOf: () => Shape) {
  return z.lazy(() => {
    const shape = shapeOf();
    // An optional field and one with a default differ in `optin`; only a required one has none.
    const mayBeAbsent = Object.keys(shape).filter((name) => shape[name]?._zod.optin !== undefined);
    return z.preprocess((value) => withoutNulls(value, mayBeAbsent), z.looseObject(shape));
  });
}

/** `value` itself when there is nothing to leave out. */
function withoutNulls(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = value as Record<string, unknown>;
  const unset = names.filter((name) => fields[name] === null);
  if (unset.length === 0) return value;
  const kept = { ...fields };
  for (const name of unset) delete kept[name];
  return kept;
}
