import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { filterHeaders, headerOf, setGivenHeaders, setHeader } from "./header-list.js";

describe("header lists", () => {
  it("transport 72: a later value replaces the first, whatever the case: one line", () => {
    const list = ["accept", "application/json"];
    setGivenHeaders(list, { ACCEPT: "text/plain", "X-New": "1" });
    expect(list).toEqual(["accept", "text/plain", "x-new", "1"]);
    expect(headerOf(list, "x-new")).toBe("1");
    setHeader(list, "accept", "x");
    expect(filterHeaders(list, (name) => name === "accept")).toEqual(["accept", "x"]);
  });

  it("does not take a value for a name", () => {
    expect(headerOf(["a", "b", "c", "d"], "b")).toBeUndefined();
    expect(filterHeaders(["a", "b", "b", "c"], (name) => name === "b")).toEqual(["b", "c"]);
  });

  it.each([
    ["x-a", "canary\r\nx-b: 1"],
    ["x-a", "canary\u0000"],
    ["x-a", "canary☃"],
    ["x a", "canary"],
    ["", "canary"],
  ])("refuses %j: %j without showing the value", (name, value) => {
    const attempt = (): void => setGivenHeaders([], { [name]: value });
    expect(attempt).toThrow(ValidationError);
    expect(attempt).not.toThrow(/canary/);
  });

  // nodejs/undici: lib/core/request.js refuses some of these, and would send a body as long as another one says.
  it.each(["Transfer-Encoding", "content-length", "Expect", "upgrade", "CONNECTION", "keep-alive", "te"])(
    "refuses %s, which the transport sets",
    (name) => {
      expect(() => setGivenHeaders([], { [name]: "1" })).toThrow(
        `the header ${JSON.stringify(name)} is set by the transport, which alone knows how a request is sent; leave it out`,
      );
    },
  );
});
