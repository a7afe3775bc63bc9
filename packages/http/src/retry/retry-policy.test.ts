import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RETRY_POLICIES, retryDelayMs, settledPolicy } from "./retry-policy.js";

const { counted, patient, none } = RETRY_POLICIES;
const zero = (): number => 0;

describe("retryDelayMs", () => {
  it("transport 11: chance takes off at most a quarter", () => {
    const nearlyOne = (): number => 1 - Number.EPSILON;
    const delays = Array.from({ length: 6 }, (_, retries) =>
      retryDelayMs({ policy: counted, retries, elapsedMs: 0, random: nearlyOne }),
    );
    expect(delays.map((ms) => Math.round(ms ?? 0))).toEqual([375, 750, 1500, 3000, 6000, 7500]);
  });

  it("transport 12: doubles without overflow", () => {
    const policy = { ...counted, maxRetries: 5_000 };
    expect(retryDelayMs({ policy, retries: 1_100, elapsedMs: 0, random: zero })).toBe(10_000);
  });

  it("stops with the policy's repeats, and with its budget", () => {
    expect(retryDelayMs({ policy: none, retries: 0, elapsedMs: 0, random: zero })).toBeUndefined();
    expect(retryDelayMs({ policy: counted, retries: 10, elapsedMs: 0, random: zero })).toBeUndefined();
    expect(retryDelayMs({ policy: patient, retries: 3, elapsedMs: 300_000, random: zero })).toBeUndefined();
  });

  it("transport 19: the last pause ends where the budget does", () => {
    expect(retryDelayMs({ policy: patient, retries: 9, elapsedMs: 271_000, random: zero })).toBe(29_000);
  });

  it("obeys a server's pause, with up to a tenth on top", () => {
    const input = { policy: counted, retries: 4, elapsedMs: 0, hintMs: 7_000 };
    expect(retryDelayMs({ ...input, random: zero })).toBe(7_000);
    expect(retryDelayMs({ ...input, random: () => 0.5 })).toBe(7_350);
  });

  it("stays within three quarters of the pause and the pause", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.double({ min: 0, max: 0.999999, noNaN: true }), (retries, random) => {
        const policy = { ...counted, maxRetries: Number.POSITIVE_INFINITY };
        const full = Math.min(500 * 2 ** retries, 10_000);
        const delayMs = retryDelayMs({ policy, retries, elapsedMs: 0, random: () => random });
        return delayMs !== undefined && delayMs > full * 0.75 - 1e-9 && delayMs <= full;
      }),
    );
  });

  it("takes a user's own jitter, limits and pauses, but for calls whose retries belong to the layer above", () => {
    const own = settledPolicy("patient", { maxRetries: 2, budgetMs: 9_000, firstDelayMs: 100, jitter: 1 });
    const delayMs = (retries: number, elapsedMs: number, random: () => number): number | undefined =>
      retryDelayMs({ policy: own, retries, elapsedMs, random });
    expect([delayMs(0, 0, zero), delayMs(1, 0, zero), delayMs(1, 0, () => 0.5)]).toEqual([100, 200, 100]);
    expect([delayMs(2, 0, zero), delayMs(0, 9_000, zero)]).toEqual([undefined, undefined]);
    expect(own.maxDelayMs).toBe(patient.maxDelayMs);
    expect(settledPolicy("none", { maxRetries: 9 })).toBe(none);
    expect(settledPolicy("counted", { maxRetries: undefined })).toEqual(counted);
  });
});
