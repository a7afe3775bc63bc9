import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isExcepted } from "./no-proxy.js";

/**
 * Readings of NO_PROXY, recorded: for each entry and address "D" to go there directly, "." through the proxy, "E" an error, "?" not
 * asked. First httpx 0.28.1 (`get_environment_proxies`, patterns in the client's order), then curl 7.88.1 (`--noproxy`), then ours.
 */
const CASES: {
  readonly urls: readonly string[];
  readonly entries: Readonly<Record<string, readonly [httpx: string, curl: string, ours: string]>>;
} = JSON.parse(readFileSync(new URL("../testing/no-proxy-cases.json", import.meta.url), "utf8"));

/** Entries that we read as neither does where the two agree, and why. */
const OURS_ALONE: Readonly<Record<string, string>> = {
  "*.a.example": "a star with a dot is common, and can mean one thing alone",
  "a.example:443": "the default port of https is that port",
  "a.example:80": "the default port of http is that port",
  ".a.example:8080": "a dot in front means the same with a port as without one",
  "a.example:8080": "the same",
  "fd00:0:0:0:0:0:0:1": "an address is the same however its zeros are written",
  "fd00:0000::0001": "an address is the same however its zeros are written",
  "https://a.example": "a name with the dot of the root is the same name",
  "all://a.example": "a name with the dot of the root is the same name",
  "2.3": "no address lies below another",
  "a.example:": "a name with the dot of the root is the same name",
};

const rows = Object.entries(CASES.entries).flatMap(([entry, [httpx, curl, ours]]) =>
  CASES.urls.map((url, i) => ({ entry, url, httpx: httpx[i], curl: curl[i], ours: ours[i] })),
);

describe("isExcepted", () => {
  it(`reads ${rows.length} entries and addresses as recorded`, () => {
    const read = rows.map((row) => ({
      ...row,
      ours: isExcepted(new URL(row.url), row.entry) ? "D" : ".",
    }));
    expect(read).toEqual(rows);
  });

  it("agrees with httpx and curl wherever those two agree, but for entries with a reason", () => {
    const different = rows.filter(({ httpx, curl, ours }) => httpx === curl && ours !== httpx);
    const entries = new Set(different.map(({ entry }) => entry));
    expect([...entries].filter((entry) => OURS_ALONE[entry] === undefined)).toEqual([]);
  });

  // curl/curl#2353, curl/curl#5745, curl/curl#9773, curl/curl#19828, psf/requests#6313: addresses and ranges.
  it.each([
    ["http://[fd00::1]:8080", "fd00::1", true],
    ["http://[fd00:1::2]", "fd00::/8", true],
    ["http://[fe80::1]", "fd00::/8", false],
    ["http://[fd00::1]", "[fd00::]/16", true],
    ["https://10.20.30.40", "192.168.0.0/16 10.0.0.0/8", true],
    ["https://11.20.30.40", "192.168.0.0/16 10.0.0.0/8", false],
    ["https://api.example.", "example", true],
    ["https://api.example", ".example.", true],
    ["http://[fe80::1]", "fe80::1%eth0", true],
    ["http://[fe80::1]:8080", "[fe80::1%eth0]:8080", true],
    ["http://[fe80::2]", "fe80::%eth0/10", true],
    ["http://[fe80::2]", "fe80::1%eth0", false],
    ["https://api.example:8443", ".example:8443", true],
    ["https://api.example", "*.example:443", true],
    ["http://api.example", "*.example:443", false],
    // The patterns that httpx documents for its proxies: a star behind a scheme.
    ["https://x.a.example", "all://*.a.example", true],
    ["https://a.example", "all://*.a.example", false],
    ["https://a.example", "https://*a.example", true],
    ["https://x.a.example", "https://*a.example", true],
    ["http://x.a.example", "https://*a.example", false],
    ["https://nota.example", "all://*a.example", false],
    ["https://x.a.example", "all://.a.example", true],
    ["https://x.a.example", "all://a.example", false],
    ["http://x.a.example:8080", "http://*.a.example:8080", true],
    ["http://x.a.example", "http://*.a.example:8080", false],
    ["http://10.1.2.3:8080", "all://*:8080", true],
    ["http://10.1.2.3", "all://*:8080", false],
    ["https://a.example", "all://*", false],
    ["https://a.example:8080", "https://*", true],
    ["http://a.example", "https://*", false],
    ["https://10.1.2.3", "https://", true],
    ["http://a.example", "HTTP://", true],
    ["https://a.example", "http://", false],
    ["https://a.example", "https://.", false],
    ["https://11.1.2.3", "all://*.1.2.3", false],
    ["http://[fd00::1]:8080", "all://[fd00::1]:8080", true],
  ])("%s with NO_PROXY=%s: %s", (url, noProxy, wanted) => {
    expect(isExcepted(new URL(url), noProxy)).toBe(wanted);
  });
});
