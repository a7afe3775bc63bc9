import * as z from "zod";

/** Faults of one body that are looked for and told: more help nobody, and millions would fill the memory. */
export const MAX_ISSUES = 20;

/** Tells JSON objects, whose members can be read, from lists and all else. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A list of at most `maxLength` elements, which are read by `element`. Unlike zod's own it stops after {@link MAX_ISSUES}
 * faults.
 */
export function listOf<T>(element: z.ZodType<T>, maxLength = Number.POSITIVE_INFINITY) {
  return z.unknown().transform((value, context): T[] => {
    if (!Array.isArray(value)) {
      context.addIssue({ code: "invalid_type", expected: "array", input: value });
      return z.NEVER;
    }
    if (value.length > maxLength) {
      const message = `must have at most ${maxLength} elements, got ${value.length}`;
      context.addIssue({ code: "too_big", maximum: maxLength, origin: "array", input: undefined, message });
      return z.NEVER;
    }
    const items: T[] = [];
    for (let index = 0; index < value.length && context.issues.length < MAX_ISSUES; index += 1) {
      readMember(element, value[index], index, context, (item) => items.push(item));
    }
    return items;
  });
}

/** An object of any keys whose values are read by `member`. Unlike zod's own it stops after {@link MAX_ISSUES} faults. */
export function mapOf<T>(member: z.ZodType<T>) {
  return z.unknown().transform((value, context): Record<string, T> => {
    if (!isRecord(value)) {
      context.addIssue({ code: "invalid_type", expected: "record", input: value });
      return z.NEVER;
    }
    const entries: [string, T][] = [];
    for (const key of Object.keys(value)) {
      if (context.issues.length >= MAX_ISSUES) break;
      readMember(member, value[key], key, context, (item) => entries.push([key, item]));
    }
    return Object.fromEntries(entries);
  });
}

function readMember<T>(
  schema: z.ZodType<T>,
  value: unknown,
  step: string | number,
  context: z.RefinementCtx,
  keep: (item: T) => void,
): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    keep(parsed.data);
    return;
  }
  for (const issue of parsed.error.issues.slice(0, MAX_ISSUES)) {
    context.issues.push({ ...issue, path: [step, ...issue.path], input: undefined });
  }
}
