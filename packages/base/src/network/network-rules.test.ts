import { describe, expect, it } from "vitest";
import { isLoopbackHost } from "./network-rules.js";

describe("isLoopbackHost", () => {
  it.each(["localhost", "127.0.0.1", "127.255.0.1", "::1", "[::1]"])("knows %s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    "",
    "localhost.example",
    "api.localhost",
    "notlocalhost",
    "127.0.0.1.example",
    "127.0.0",
    "0.0.0.0",
    "128.0.0.1",
    "[::2]",
  ])("takes %j for another machine", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
