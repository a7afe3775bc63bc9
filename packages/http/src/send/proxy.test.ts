import { describe, expect, it } from "vitest";
import { proxyFor, proxyFromEnvironment } from "./proxy.js";

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
  });
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

  it("a star excepts everything", () => {
    expect(proxyFor("https://x.example", { ...settings, noProxy: "*" })).toBeUndefined();
  });
});
