import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { USUAL } from "../operations/policy.js";
import { headerOf } from "../request/header-list.js";
import type { WireRequest } from "../request/wire-request.js";
import { redirectedRequest } from "./follow-redirects.js";

const request: WireRequest = {
  pool: "rest",
  method: "POST",
  origin: "https://a.example",
  path: "/x/api?q=1",
  headers: [
    ...["x-api-key", "tml-canary", "cf-access-client-secret", "canary", "x-idempotency-key", "k"],
    ...["content-type", "application/json", "accept", "application/json", "user-agent", "u"],
  ],
  body: Uint8Array.of(1),
  timeouts: USUAL,
  maxAnswerBytes: 100,
};

const to = (status: number, location: string, from: Partial<WireRequest> = {}): WireRequest =>
  redirectedRequest(
    { ...request, ...from },
    { kind: "answer", status, headers: { location }, body: Uint8Array.of() },
  );

describe("redirectedRequest", () => {
  it("transport 86: another origin gets no credential and no header of ours", () => {
    const next = to(302, "https://b.example/file?sig=1");
    expect(next).toMatchObject({
      origin: "https://b.example",
      path: "/file?sig=1",
      method: "GET",
      body: undefined,
    });
    expect(next.headers).toEqual(["accept", "application/json", "user-agent", "u"]);
  });

  it("another port or scheme is another origin", () => {
    expect(headerOf(to(302, "https://a.example:8443/").headers, "x-api-key")).toBeUndefined();
    expect(
      headerOf(to(302, "https://a.example/", { origin: "http://a.example" }).headers, "x-api-key"),
    ).toBeUndefined();
  });

  it("transport 86: the same origin keeps the headers, without those of a body that is gone", () => {
    const next = to(303, "/y");
    expect(next).toMatchObject({ origin: "https://a.example", path: "/y", method: "GET", body: undefined });
    expect(headerOf(next.headers, "x-api-key")).toBe("tml-canary");
    expect(headerOf(next.headers, "content-type")).toBeUndefined();
  });

  it.each([307, 308])("transport 86: %i repeats method and body on the same origin", (status) => {
    const next = to(status, "y");
    expect(next).toMatchObject({ method: "POST", path: "/x/y", body: request.body });
    expect(headerOf(next.headers, "content-type")).toBe("application/json");
  });

  it.each([
    [307, "https://b.example/", /a body to another server/],
    [302, "http://a.example/", /from https to http/],
    [302, "ftp://a.example/", /to ftp:/],
    [302, "http://[", /not a URL/],
  ])("transport 86: %i to %s is refused", (status, location, message) => {
    expect(() => to(status, location)).toThrow(ResponseError);
    expect(() => to(status, location)).toThrow(message);
  });
});
