import {
  checkFunction,
  checkKnownNames,
  checkObject,
  describeValue,
  nearestName,
  parseRequestErrorCategory,
  ValidationError,
} from "@tinkex/base";
import { ENDPOINTS, type EndpointName } from "@tinkex/types";
import type { Fault } from "./fault.js";

type FieldName = Fault extends infer Kind ? (Kind extends object ? keyof Kind : never) : never;

const COMMON = { nth: true, times: true, when: true } as const;
const ENDPOINT_ACTIONS = ["status", "disconnect", "delayMs", "loseSession"] as const;
const FUTURE_ACTIONS = ["status", "disconnect", "delayMs", "queueState", "fail", "expire"] as const;
const FIELD_NAMES: Readonly<Record<FieldName, true>> = {
  ...COMMON,
  endpoint: true,
  future: true,
  polls: true,
  status: true,
  detail: true,
  retryAfterSeconds: true,
  disconnect: true,
  delayMs: true,
  loseSession: true,
  queueState: true,
  reason: true,
  fail: true,
  category: true,
  expire: true,
};
const QUEUE_STATES = ["active", "paused_capacity", "paused_rate_limit"] as const;

/**
 * Checks a fault that may come from plain JavaScript.
 *
 * @param what - its place, e.g. `faults[0]`
 * @throws ValidationError that names the field
 */
export function checkFault(fault: Fault, what: string): void {
  checkObject(fault, what, '{ endpoint: "optim_step", status: 503 }');
  checkKnownNames(fault, FIELD_NAMES, what);
  const fields: Readonly<Partial<Record<FieldName, unknown>>> = fault;
  checkTarget(fields, what);
  const isFuture = fields.future !== undefined;
  const actions: readonly FieldName[] = isFuture ? FUTURE_ACTIONS : ENDPOINT_ACTIONS;
  if (!actions.some((name) => fields[name] !== undefined)) {
    throw new ValidationError(`${what} must say what happens: give one of ${actions.join(", ")}`, {
      path: [what],
    });
  }
  const check = (name: FieldName, isValid: (value: never) => boolean, form: string) => {
    const value = fields[name];
    if (value === undefined || isValid(value as never)) return;
    throw new ValidationError(`${what}.${name} must be ${form}, got ${describeValue(value)}`, {
      path: [what, name],
    });
  };
  const isCount = (value: unknown) =>
    value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1);
  check(
    "nth",
    (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
    "a whole number from 1",
  );
  check("times", isCount, "a whole number from 1, or Infinity");
  check("polls", isCount, "a whole number from 1, or Infinity");
  check("status", isErrorStatus, "a whole number from 400 to 599");
  check(
    "delayMs",
    (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
    "a number of milliseconds from 0",
  );
  check(
    "retryAfterSeconds",
    (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
    "a whole number of seconds from 0",
  );
  check("disconnect", (value: unknown) => value === "before" || value === "after", '"before" or "after"');
  check(
    "queueState",
    (value: (typeof QUEUE_STATES)[number]) => QUEUE_STATES.includes(value),
    QUEUE_STATES.join(", "),
  );
  check(
    "category",
    (value: string) => parseRequestErrorCategory(value) === value,
    '"user", "server" or "unknown"',
  );
  for (const name of ["detail", "reason", "fail"] as const) {
    check(name, (value: unknown) => typeof value === "string", "a string");
  }
  for (const name of ["loseSession", "expire"] as const)
    check(name, (value: unknown) => value === true, "true");
  if (fields.when !== undefined) checkFunction(fields.when, `${what}.when`);
}

function checkTarget(fields: Readonly<Partial<Record<FieldName, unknown>>>, what: string): void {
  const { endpoint, future } = fields;
  if ((endpoint === undefined) === (future === undefined)) {
    throw new ValidationError(`${what} must name an endpoint or the operation of a future, and not both`, {
      path: [what],
    });
  }
  const [field, name] = endpoint === undefined ? ["future", future] : ["endpoint", endpoint];
  const names = Object.keys(ENDPOINTS).filter(
    (known) => endpoint !== undefined || isOperation(known as EndpointName),
  );
  if (typeof name === "string" && names.includes(name)) return;
  const nearest = typeof name === "string" ? nearestName(name, names) : undefined;
  const advice = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  throw new ValidationError(
    `${what}.${field} must be ${endpoint === undefined ? "an operation" : "an endpoint"} of the API, got ${describeValue(name)}${advice}`,
    { path: [what, field] },
  );
}

function isOperation(name: EndpointName): boolean {
  return "future" in ENDPOINTS[name];
}

function isErrorStatus(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599;
}
