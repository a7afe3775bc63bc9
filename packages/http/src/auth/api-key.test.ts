import { inspect } from "node:util";
import { ValidationError } from "@tinkex/base";
import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { createTransport } from "../create-transport.js";
import { failureOf, play, transportTo } from "../testing/test-transport.js";
import { checkApiKey } from "./api-key.js";
import { credentialCommand } from "./credential-command.js";

const hosted = "https://tinker.example.com";
const local = "http://127.0.0.1:8000";

describe("checkApiKey", () => {
  it("transport 73: takes keys and tokens of the service", () => {
    expect(checkApiKey("tml-x", hosted)).toBe("tml-x");
    expect(checkApiKey("eyJx", hosted)).toBe("eyJx");
  });

  it("BR-035: a line break around the key is no part of it", () => {
    expect(checkApiKey("tml-abc\n", hosted)).toBe("tml-abc");
  });

  it.each(["sk-canary", "", "  ", undefined, "tml-can\nary", "'tml-canary'"])(
    "transport 73: refuses %j",
    (key) => {
      const attempt = (): unknown => checkApiKey(key, hosted, "TINKER_API_KEY");
      expect(attempt).toThrow(ValidationError);
      expect(attempt).toThrow(/TINKER_API_KEY/);
      expect(attempt).not.toThrow(/canary/);
    },
  );

  it.each(['"tml-canary"', "'tml-canary'", '"canary"'])(
    "refuses the quotes around %s, wherever the service is",
    (key) => {
      for (const baseUrl of [hosted, local]) {
        const attempt = (): unknown => checkApiKey(key, baseUrl, "TINKER_API_KEY");
        expect(attempt).toThrow("the API key (TINKER_API_KEY) has quotes around it");
        expect(attempt).not.toThrow(/canary/);
      }
      // One that merely begins with a quote is a key as good as another to a server on this machine.
      expect(checkApiKey('"canary', local)).toBe('"canary');
    },
  );

  it("a server on this machine takes any key, or none", () => {
    expect(checkApiKey("whatever", local)).toBe("whatever");
    expect(checkApiKey("", local)).toBeUndefined();
    expect(checkApiKey(undefined, local)).toBeUndefined();
  });
});

describe("a key that no header can carry", () => {
  const CHARACTERS = [
    ["a line break", "\n"],
    ["a carriage return", "\r\n"],
    ["a NUL", "\0"],
    ["a delete", "\x7f"],
    ["a line separator", "\u2028"],
    ["a letter beyond Latin-1", "\u0142"],
  ] as const;
  const isSilent = (error: unknown): void => {
    expect(error).toBeInstanceOf(ValidationError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
  };

  it.each(CHARACTERS)(
    "for %s in it, is refused before any byte, and no cause shows it",
    async (_, character) => {
      const key = `tml-canary${character}canary`;
      const server = await play(answer(200));
      // What fetch says of such a header quotes it whole.
      for (const options of [{}, { fetch }]) {
        expect(() => createTransport({ ...options, baseUrl: server.url, apiKey: key })).toThrow(
          ValidationError,
        );
        const given = [
          transportTo(server, { ...options, apiKey: undefined, credential: () => key }).call({
            operation: "get_info",
          }),
          transportTo(server, options).call({ operation: "get_info", headers: { "x-api-key": key } }),
        ];
        for (const call of given) isSilent(await failureOf(call));
      }
      expect(() => transportTo(server, { defaultHeaders: { "cf-access-client-secret": key } })).toThrow(
        ValidationError,
      );
      expect(server.requests).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32")("is refused from a command that prints two lines", async () => {
    const server = await play(answer(200));
    const credential = credentialCommand("echo tml-canary; echo canary");
    isSilent(
      await failureOf(transportTo(server, { apiKey: undefined, credential }).call({ operation: "get_info" })),
    );
    expect(server.requests).toEqual([]);
  });
});
