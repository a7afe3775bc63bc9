import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import type { ServiceClientOptions } from "./service-client-options.js";
import { resolveSettings } from "./settings.js";

const transport = { call: () => Promise.reject(new Error("nothing is called here")), close: async () => {} };
const fetch = () => Promise.reject(new Error("nothing is fetched here"));

function telemetryOf(options: ServiceClientOptions) {
  return resolveSettings({ env: {}, ...options }).telemetry;
}

describe("telemetry", () => {
  it("is the reporter's and the environment's to decide where time and network are the machine's", () => {
    expect(telemetryOf({})).toBeUndefined();
    expect(telemetryOf({ fetch })).toBeUndefined();
  });

  // A last batch that cannot be delivered kept close() waiting for ever on a clock that nobody moved.
  it.each([
    ["a clock", { clock: new FakeClock() }],
    ["a transport", { transport }],
  ])("is off with %s of the caller's, unless it is asked for", (_of, own) => {
    expect(telemetryOf(own)).toBe(false);
    expect(telemetryOf({ ...own, telemetry: true })).toBe(true);
  });
});
