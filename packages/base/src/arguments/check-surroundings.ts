import type { Clock } from "../ports/clock.js";
import type { Logger } from "../ports/logger.js";
import { checkFunction, checkObject } from "./check-argument.js";

const CLOCK_METHODS = ["now", "monotonic", "sleep"] as const satisfies readonly (keyof Clock)[];
const LOGGER_METHODS = ["debug", "info", "warn", "error"] as const satisfies readonly (keyof Logger)[];

/**
 * Checks a clock that an option gives, since one without `sleep` would show only in the first pause, where nobody waits for it.
 *
 * @param what - the option as its caller knows it, e.g. `openRun: clock`
 * @param methods - the methods that are used
 * @throws ValidationError; `undefined` is good
 */
export function checkClock(
  clock: unknown,
  what: string,
  methods: readonly (keyof Clock)[] = CLOCK_METHODS,
): void {
  checkMethods(clock, what, methods, "systemClock");
}

/**
 * Checks a logger that an option gives: the first message would show a missing method, in the midst of something else.
 *
 * @param methods - the methods that are used
 * @throws ValidationError; `undefined` is good
 */
export function checkLogger(
  logger: unknown,
  what: string,
  methods: readonly (keyof Logger)[] = LOGGER_METHODS,
): void {
  checkMethods(logger, what, methods, "console");
}

/** Checks a source of random numbers that an option gives. @throws ValidationError; `undefined` is good */
export function checkRandom(random: unknown, what: string): void {
  if (random !== undefined) checkFunction(random, what);
}

function checkMethods(value: unknown, what: string, names: readonly string[], example: string): void {
  if (value === undefined) return;
  checkObject(value, what, example);
  for (const name of names) checkFunction(Reflect.get(value, name), `${what}.${name}`);
}
