import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createTransport } from "../create-transport.js";
import { proxyFor, proxyFromEnvironment, shownProxy } from "./proxy.js";

describe("proxyFromEnvironment", () => {
  it("BR-031: reads the usual variables, small letters first, empty as unset", () => {
    const env = {
      HTTP_PROXY: "http://big",
      http_proxy: "http://small",
      HTTPS_PROXY: "",
      ALL_PROXY: "http://all",
    };
    expect(proxyFromEnvironment(env)).toEqual({
      httpProxy: "http://small",
      httpsProxy: "http://all",
      noProxy: undefined,
    });
    expect(proxyFromEnvironment({})).toEqual({});
    expect(proxyFromEnvironment({ http_proxy: " ", HTTP_PROXY: " http://big\n", ALL_PROXY: "\t" })).toEqual({
      httpProxy: "http://big",
    });
  });
});

// Proxies that httpx 0.28.1 reads from the same variables (urllib.request.getproxies_environment).
it.each([
  [{ HTTP_PROXY: "http://sent", REQUEST_METHOD: "GET" }, undefined],
  [{ HTTP_PROXY: "http://sent", REQUEST_METHOD: "GET", ALL_PROXY: "http://all" }, "http://all"],
  [{ HTTP_PROXY: "http://sent", REQUEST_METHOD: "GET", http_proxy: "http://small" }, "http://small"],
  [{ HTTP_PROXY: "http://big" }, "http://big"],
])("a header of a request to a CGI program is not taken for a proxy: %j", (env, httpProxy) => {
  expect(proxyFromEnvironment(env).httpProxy).toBe(httpProxy);
});

describe("proxyFor", () => {
  const settings = {
    httpProxy: "http://p:1",
    httpsProxy: "http://p:2",
    noProxy: "a.example, .b.example,c.example:8080",
  };

  it.each([
    ["http://x.example", "http://p:1"],
    ["https://x.example", "http://p:2"],
    ["https://a.example", undefined],
    ["https://sub.a.example", undefined],
    ["https://nota.example", "http://p:2"],
    ["https://sub.b.example", undefined],
    ["http://c.example:8080", undefined],
    ["http://c.example", "http://p:1"],
    ["http://127.0.0.1:8000", undefined],
    ["http://localhost:8000", undefined],
  ])("BR-031: %s goes through %s", (origin, wanted) => {
    expect(proxyFor(origin, settings)).toBe(wanted);
  });

  it.each(["", " \n"])("%j is no proxy", (httpProxy) => {
    expect(proxyFor("http://x.example", { httpProxy })).toBeUndefined();
  });

  it("a star excepts everything", () => {
    expect(proxyFor("https://x.example", { ...settings, noProxy: "*" })).toBeUndefined();
  });
});

describe("a proxy's address", () => {
  it.each([
    ["proxy.example:3128", "http://proxy.example:3128"],
    ["user:pass@proxy.example:3128", "http://user:pass@proxy.example:3128"],
    ["https://proxy.example", "https://proxy.example"],
    [" http://proxy.example:3128\n", "http://proxy.example:3128"],
    ["[fd00::1]:3128", "http://[fd00::1]:3128"],
    ["socks5://127.0.0.1:1080", "socks5://127.0.0.1:1080"],
  ])("BR-031: %s is taken as %s", (given, wanted) => {
    expect(proxyFor("http://x.example", { httpProxy: given })).toBe(wanted);
  });

  it.each([
    ["ftp://user:canary-password@proxy.example", /must start with one of http:.*got ftp:/],
    ["http://user:canary-password@[", /is not a URL/],
    ["http://user%zz:canary-password@proxy.example", /percent sign/],
  ])("that cannot work is refused at the start, and its password not shown: %#", (given, message) => {
    const create = (): unknown =>
      createTransport({ baseUrl: "https://x.example", apiKey: "tml-x", proxy: { httpsProxy: given } });
    expect(create).toThrow(message);
    expect(create).toThrow(/HTTPS_PROXY/);
    try {
      create();
    } catch (error) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary-password");
    }
  });

  it("that is of no use for this origin is not looked at", () => {
    const transport = createTransport({ baseUrl: "http://127.0.0.1:1", proxy: { httpProxy: "ftp://x" } });
    expect(transport).toBeDefined();
  });

  it("is shown without its password", () => {
    expect(shownProxy("http://user:pass@proxy.example:3128/")).toBe("http://proxy.example:3128");
  });
});
