import { getEventListeners } from "node:events";
import { AbortedError, systemClock, TimeoutError, ValidationError } from "@tinkex/types";
import { expect, it } from "vitest";
import { waitWithin } from "./wait-within.js";

const never = () => new Promise<never>(() => {});

it("gives what the work gives, tells it that the wait is over and leaves no listener", async () => {
  const { signal } = new AbortController();
  const { over, listeners } = await waitWithin(
    { signal, timeoutMs: 60_000 },
    systemClock,
    "It",
    async (given) => ({
      over: given,
      listeners: getEventListeners(signal, "abort").length,
    }),
  );
  expect(listeners).toBe(1);
  expect(over.aborted).toBe(true);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect(
    waitWithin({ signal }, systemClock, "It", () => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");
});

it("ends when the signal aborts, with its reason, and leaves no listener", async () => {
  const caller = new AbortController();
  const waiting = waitWithin({ signal: caller.signal }, systemClock, "Loading it", never);
  caller.abort("enough");
  await expect(waiting).rejects.toThrow(AbortedError);
  await expect(waiting).rejects.toThrow("Loading it was aborted.");
  await expect(waiting).rejects.toHaveProperty("cause", "enough");
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});

it("does not begin when the signal has aborted", async () => {
  let begun = false;
  const waiting = waitWithin({ signal: AbortSignal.abort() }, systemClock, "It", async () => {
    begun = true;
  });
  await expect(waiting).rejects.toThrow(AbortedError);
  expect(begun).toBe(false);
});

it("ends when the time is up", async () => {
  const waiting = waitWithin({ timeoutMs: 5 }, systemClock, "Loading it", never);
  await expect(waiting).rejects.toThrow(TimeoutError);
  await expect(waiting).rejects.toThrow("Loading it took longer than 5 ms.");
  await expect(waiting).rejects.toHaveProperty("timeoutMs", 5);
});

it.each([-1, Number.NaN])("refuses a limit of %s", async (timeoutMs) => {
  await expect(waitWithin({ timeoutMs }, systemClock, "It", never)).rejects.toThrow(ValidationError);
});
