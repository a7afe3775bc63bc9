import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { DEFAULT_BASE_URL, isLoopback, resolveBaseUrl } from "./base-url.js";

describe("resolveBaseUrl", () => {
  it.each([
    [undefined, DEFAULT_BASE_URL],
    ["", DEFAULT_BASE_URL],
    ["  ", DEFAULT_BASE_URL],
    ["http://h/x///", "http://h/x"],
    ["http://h", "http://h"],
    ["https://h:8443/services/x/", "https://h:8443/services/x"],
  ])("transport 71: %j becomes %j", (given, wanted) => {
    expect(resolveBaseUrl(given)).toBe(wanted);
  });

  it.each(["h:80", "localhost:8000", "/x", "ftp://h", "http://h?a=1", "http://h/#x", "http://user:canary@h"])(
    "refuses %j without showing what may be secret",
    (given) => {
      const attempt = (): string => resolveBaseUrl(given);
      expect(attempt).toThrow(ValidationError);
      expect(attempt).toThrow(/TINKER_BASE_URL/);
      expect(attempt).not.toThrow(/canary/);
    },
  );

  it.each([
    ["127.0.0.1:8000", /give one like "http:\/\/127\.0\.0\.1:8000"/],
    ["[::1]:8000", /give one like "http:\/\/\[::1\]:8000"/],
    ["[fd00::7]/services", /give one like "http:\/\/\[fd00::7\]\/services"/],
    ["[::1::2]:8000", /give one like "https:/],
    ["999.1.1.1:8000", /give one like "https:/],
    ["localhost:8000/x", /as in http:\/\/localhost:8000 \(/],
    ["ftp://h", /got ftp: \(/],
    ["/x", /give one like "https:/],
    ["http://h:1/api/v1", /must not end in \/api\/v1, which each call adds/],
    ["http://h:1/services/x/api/v1/", /must not end in \/api\/v1/],
  ])("refuses %j with what to write instead", (given, remedy) => {
    expect(() => resolveBaseUrl(given)).toThrow(remedy);
  });
});

describe("isLoopback", () => {
  it.each([
    ["http://127.0.0.1:1", true],
    ["http://127.9.9.9", true],
    ["http://[::1]:80", true],
    ["http://localhost", true],
    ["http://x.localhost", true],
    ["http://127.0.0.1.example.com", false],
    ["http://localhost.example.com", false],
    ["https://example.com", false],
  ])("%s: %s", (url, wanted) => {
    expect(isLoopback(url)).toBe(wanted);
  });
});
