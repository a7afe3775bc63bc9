import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";

const EVENTS = ["unhandledRejection", "uncaughtException"] as const;

/**
 * Fails the running test where a promise is rejected that nobody handles, or an error is thrown that nobody can catch, until the test and
 * what it registered afterwards have ended. The runner tells of them too, but of the whole run. Call it first in a test, or give it to
 * `beforeEach`.
 */
export function failOnUnhandledErrors(): void {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  for (const event of EVENTS) process.on(event, note);
  onTestFinished(async () => {
    // Node tells of a rejection once the tasks that are under way have ended.
    await setImmediate();
    for (const event of EVENTS) process.off(event, note);
    expect(unhandled, "errors that nobody handled").toEqual([]);
  });
}
