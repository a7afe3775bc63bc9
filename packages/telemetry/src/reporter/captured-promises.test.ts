import { describe, expect, it } from "vitest";
import { OpenReporter } from "../testing/open-reporter.js";

/** A reporter whose session has begun; the test closes it. */
function begun() {
  const open = new OpenReporter();
  return { open, session: open.reporter.begin(open.session) };
}

describe("an error", () => {
  it("telemetry 11: comes through a capture whatever kind of promise it is in, and is reported once", async () => {
    const { open, session } = begun();
    const { reporter } = open;
    /** A promise of another library: an object with a method `then`. */
    class Deferred<Value> implements PromiseLike<Value> {
      readonly #result: Promise<Value>;
      constructor(result: Promise<Value>) {
        this.#result = result;
      }
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library
      get then() {
        return this.#result.then.bind(this.#result);
      }
    }
    const failing = new Deferred<number>(Promise.reject(new RangeError("x")));
    expect(reporter.capture(() => failing)).toBe(failing);
    await expect(reporter.capture(() => reporter.capture(() => failing))).rejects.toThrow(RangeError);
    const good = reporter.capture(() => new Deferred(Promise.resolve(7)));
    expect(await good).toBe(7);
    // biome-ignore lint/suspicious/noThenProperty: a promise that tells at once
    const atOnce = { then: (_: unknown, fail: (error: unknown) => void) => fail(new TypeError("y")) };
    reporter.capture(() => atOnce, { fatal: true });
    const aborted = new Deferred(Promise.reject(new DOMException("aborted", "AbortError")));
    await expect(reporter.capture(() => aborted)).rejects.toThrow("aborted");
    await session.close();
    expect(open.events.map((event) => ("error_type" in event ? event.error_type : event.event))).toEqual([
      "SESSION_START",
      "RangeError",
      "TypeError",
      "SESSION_END",
    ]);
  });

  it("telemetry 11: is none where a result only looks like a promise, or cannot be looked at", async () => {
    const { open, session } = begun();
    const { reporter } = open;
    const unreadable = {
      // biome-ignore lint/suspicious/noThenProperty: the result of somebody's function
      get then(): never {
        throw new Error("trap");
      },
    };
    expect(reporter.capture(() => unreadable)).toBe(unreadable);
    // biome-ignore lint/suspicious/noThenProperty: the result of somebody's function
    const named = { then: "later" };
    expect(reporter.capture(() => named)).toBe(named);
    expect(reporter.capture(() => null)).toBe(null);
    await session.close();
    expect(open.events.map(({ event }) => event)).toEqual(["SESSION_START", "SESSION_END"]);
  });
});
