import { getEventListeners } from "node:events";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { AbortedError, TimeoutError, ValidationError } from "../errors/api-errors.js";
import { FakeClock } from "../testing/fake-clock.js";
import { waitFor, waitWithin } from "./wait-for.js";

const forever = new Promise<never>(() => {});

describe("waitFor", () => {
  it("gives what the promise gives, and leaves neither timer nor listener behind", async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    expect(await waitFor(Promise.resolve(3), { signal, timeoutMs: 50 }, clock, "it")).toBe(3);
    expect(clock.sleeping).toBe(0);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("ends with a TimeoutError that names the awaited thing and the limit", async () => {
    const clock = new FakeClock();
    const wait = waitFor(forever, { timeoutMs: 50 }, clock, "the upload");
    const outcome = expect(wait).rejects.toMatchObject({
      constructor: TimeoutError,
      message: "the upload took longer than 50 ms",
    });
    await clock.advance(50);
    await outcome;
  });

  it("ends with an AbortedError that keeps the reason, at once when the signal has aborted before", async () => {
    const controller = new AbortController();
    const wait = waitFor(forever, { signal: controller.signal }, new FakeClock(), "the upload");
    controller.abort("enough");
    await expect(wait).rejects.toMatchObject({ constructor: AbortedError, cause: "enough" });
    const late = waitFor(forever, { signal: controller.signal }, new FakeClock(), "the upload");
    await expect(late).rejects.toMatchObject({ message: "the upload was aborted", cause: "enough" });
  });
});

describe("waitWithin", () => {
  it("leaves no rejection unhandled of a promise that nobody waits for, since the signal has aborted before", async () => {
    failOnUnhandledErrors();
    const failing = Promise.reject(new Error("late"));
    const waiting = waitFor(failing, { signal: AbortSignal.abort("early") }, new FakeClock(), "it");
    await expect(waiting).rejects.toBeInstanceOf(AbortedError);
  });

  it("tells the work when nobody waits any more", async () => {
    const clock = new FakeClock();
    let workSignal: AbortSignal | undefined;
    const wait = waitWithin({ timeoutMs: 10 }, clock, "the download", (over) => {
      workSignal = over;
      return forever;
    });
    const outcome = expect(wait).rejects.toBeInstanceOf(TimeoutError);
    await clock.advance(10);
    await outcome;
    expect(workSignal?.aborted).toBe(true);
  });

  it("does not begin when the signal has aborted, nor with a limit that is no number", async () => {
    let begun = 0;
    const work = async (): Promise<void> => {
      begun += 1;
    };
    const signal = AbortSignal.abort("early");
    await expect(waitWithin({ signal }, new FakeClock(), "it", work)).rejects.toBeInstanceOf(AbortedError);
    await expect(waitWithin({ timeoutMs: Number.NaN }, new FakeClock(), "it", work)).rejects.toBeInstanceOf(
      ValidationError,
    );
    expect(begun).toBe(0);
  });
});
