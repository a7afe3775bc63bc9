import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { checkApiKey } from "./api-key.js";

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

  it("a server on this machine takes any key, or none", () => {
    expect(checkApiKey("whatever", local)).toBe("whatever");
    expect(checkApiKey("", local)).toBeUndefined();
    expect(checkApiKey(undefined, local)).toBeUndefined();
  });
});
