import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createTransport } from "./create-transport.js";
import type { TransportOptions } from "./transport-options.js";

describe("the options of createTransport", () => {
  it.each([
    [{ connectTimeoutMs: 0 }, "connectTimeoutMs must be a number of milliseconds above 0, got 0"],
    [{ connectTimeoutMs: Number.NaN }, "connectTimeoutMs must be a number of milliseconds above 0, got NaN"],
    [{ keepAliveMs: -1 }, "keepAliveMs must be a number of milliseconds above 0, got -1"],
    [{ firstContactRetries: -1 }, "firstContactRetries must be 0 or more, got -1"],
    [{ poolLimits: { rest: 0 } }, "poolLimits.rest must be 1 or more, got 0"],
    [{ poolLimits: { rest: "5" } }, 'poolLimits.rest must be 1 or more, got "5"'],
    [{ poolLimits: { rests: 5 } }, /poolLimits.*rests.*rest/],
    [
      { retry: { maxRetries: -1 } },
      "retry.maxRetries must be a whole number of 0 or more, or Infinity, got -1",
    ],
    [{ retry: { maxRetries: 1.5 } }, /retry.maxRetries must be a whole number/],
    [{ retry: { budgetMs: 0 } }, "retry.budgetMs must be a number of milliseconds above 0, got 0"],
    [{ retry: { firstDelayMs: Number.NaN } }, /retry.firstDelayMs must be a number of milliseconds/],
    [
      { retry: { maxDelayMs: "1s" } },
      /retry.maxDelayMs must be a number of milliseconds, 0 or more, got "1s"/,
    ],
    [{ retry: { jitter: 1.5 } }, "retry.jitter must be a share from 0 to 1, got 1.5"],
    [{ retry: { retries: 3 } }, /retry: unknown field "retries"/],
    [{ apikey: "tml-canary" }, /the options of createTransport.*apikey.*apiKey/],
    [
      { credential: "tml-canary" },
      "credential must be a function that gives a key; a key itself goes into apiKey",
    ],
    [{ credential: () => "k", apiKey: "tml-canary" }, "give an apiKey or a credential, not both"],
    [{ dispatcher: { dispatch: () => true }, fetch }, "give a dispatcher or a fetch, not both"],
    [{ dispatcher: {} }, /dispatcher must have a method dispatch/],
  ])("%j is refused before anything is sent", (options, message) => {
    const create = (): unknown =>
      createTransport({ baseUrl: "http://127.0.0.1:9", ...options } as TransportOptions);
    expect(create).toThrow(ValidationError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/canary/);
  });

  it("limits may be without end, and what is undefined is not given", () => {
    const options = { poolLimits: { rest: Number.POSITIVE_INFINITY }, keepAliveMs: undefined };
    expect(createTransport({ baseUrl: "http://127.0.0.1:9", ...options })).toBeDefined();
  });
});
