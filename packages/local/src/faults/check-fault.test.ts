import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { checkFault } from "./check-fault.js";
import type { Fault } from "./fault.js";

describe("faults", () => {
  it("do not compile with a name that the table of endpoints does not have, or what does not belong together", () => {
    const faults: readonly Fault[] = [
      { endpoint: "optim_step", status: 503, nth: 2 },
      { future: "asample", queueState: "paused_rate_limit" },
      // @ts-expect-error: a typing error
      { endpoint: "optim_stp", status: 503 },
      // @ts-expect-error: no operation has this name
      { future: "healthz", status: 503 },
      // @ts-expect-error: nothing happens
      { endpoint: "optim_step" },
      // @ts-expect-error: sessions are lost at endpoints
      { future: "optim_step", loseSession: true },
      // @ts-expect-error: only futures expire
      { endpoint: "optim_step", expire: true },
    ];
    expect(faults).toHaveLength(7);
  });

  it.each<[unknown, string]>([
    [5, "faults[0] must be an object"],
    [
      { endpoint: "optim_stp", status: 503 },
      'faults[0].endpoint must be an endpoint of the API, got "optim_stp"; did you mean optim_step?',
    ],
    [{ future: "healthz", status: 503 }, 'faults[0].future must be an operation of the API, got "healthz"'],
    [{ status: 503 }, "faults[0] must name an endpoint or the operation of a future, and not both"],
    [{ endpoint: "healthz", future: "asample", status: 503 }, "and not both"],
    [
      { endpoint: "healthz" },
      "faults[0] must say what happens: give one of status, disconnect, delayMs, loseSession",
    ],
    [{ endpoint: "healthz", expire: true }, "faults[0] must say what happens"],
    [{ endpoint: "healthz", staus: 503 }, "staus"],
    [
      { endpoint: "healthz", status: 200 },
      "faults[0].status must be a whole number from 400 to 599, got 200",
    ],
    [{ endpoint: "healthz", status: 503, nth: 0 }, "faults[0].nth must be a whole number from 1, got 0"],
    [
      { endpoint: "healthz", status: 503, times: 1.5 },
      "faults[0].times must be a whole number from 1, or Infinity",
    ],
    [
      { endpoint: "healthz", delayMs: "5" },
      'faults[0].delayMs must be a number of milliseconds from 0, got "5"',
    ],
    [
      { endpoint: "healthz", delayMs: -1 },
      "faults[0].delayMs must be a number of milliseconds from 0, got -1",
    ],
    [
      { endpoint: "healthz", delayMs: Number.NaN },
      "faults[0].delayMs must be a number of milliseconds from 0",
    ],
    [
      { future: "asample", status: 503, delayMs: Number.POSITIVE_INFINITY },
      "faults[0].delayMs must be a number of milliseconds from 0, got Infinity",
    ],
    [
      { endpoint: "healthz", status: 429, retryAfterSeconds: -5 },
      "faults[0].retryAfterSeconds must be a whole number of seconds from 0, got -5",
    ],
    [
      { future: "asample", status: 429, retryAfterSeconds: 0.5 },
      "faults[0].retryAfterSeconds must be a whole number of seconds from 0, got 0.5",
    ],
    [
      { endpoint: "healthz", disconnect: "now" },
      'faults[0].disconnect must be "before" or "after", got "now"',
    ],
    [{ future: "asample", queueState: "busy" }, "faults[0].queueState must be active, paused_capacity"],
    [{ future: "asample", fail: "x", category: "nobody" }, "faults[0].category must be"],
    [{ endpoint: "healthz", status: 503, when: "always" }, "faults[0].when"],
  ])("are refused in plain JavaScript by the place that is wrong: %j", (fault, message) => {
    const check = () => checkFault(fault as Fault, "faults[0]");
    expect(check).toThrow(ValidationError);
    expect(check).toThrow(message);
  });
});
