import { silentLogger } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createTransport } from "./create-transport.js";
import type { TransportOptions } from "./transport-options.js";

/** The warnings of making a transport. */
async function warningsOf(options: TransportOptions): Promise<string[]> {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  await createTransport({ logger, ...options }).close();
  return warnings;
}

const KEY = "tml-canary-key";

describe("a key that would go out unencrypted", () => {
  it.each<[string, TransportOptions]>([
    ["a key", { apiKey: KEY }],
    ["a source of keys", { credential: () => KEY }],
    ["a header of the user's", { apiKey: KEY, defaultHeaders: { Authorization: `Bearer ${KEY}` } }],
  ])("is warned of once, and not shown (%s)", async (_, options) => {
    const warnings = await warningsOf({ baseUrl: "http://tinker.example/api", ...options });
    expect(warnings).toEqual([
      expect.stringMatching(/^the API key goes to http:\/\/tinker\.example\/api unencrypted/),
    ]);
    expect(warnings.join()).not.toContain(KEY);
  });

  it.each(["https://tinker.example", "http://127.0.0.1:8000", "http://localhost:1", "http://[::1]:1"])(
    "is not warned of for %s",
    async (baseUrl) => {
      expect(await warningsOf({ baseUrl, apiKey: KEY })).toEqual([]);
    },
  );
});
