import { RequestFailedError } from "@tinkex/base";
import { statusOf } from "./error-facts.js";

/** The part of an error that makes it its caller's fault. */
export interface UserError {
  readonly status: number | undefined;
}

/** Looks for a caller's fault in an error and whatever caused it: a refusal (4xx but 408), or work that failed by its input. */
export function userErrorIn(error: unknown): UserError | undefined {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [error];
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    const status = statusOf(next);
    if (next instanceof RequestFailedError && next.category === "user") return { status };
    if (status !== undefined && isUserStatus(status)) return { status };
    waiting.push(Reflect.get(next, "cause"));
    const errors: unknown = Reflect.get(next, "errors");
    if (Array.isArray(errors)) waiting.push(...errors);
  }
  return undefined;
}

/** Tells whether a status is a refusal that its caller can mend. */
export function isUserStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
