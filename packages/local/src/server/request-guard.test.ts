import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { type GuardedRequest, type GuardOptions, guardRequest } from "./request-guard.js";

const request: GuardedRequest = {
  method: "POST",
  path: "/api/v1/create_session",
  host: "127.0.0.1:8123",
  origin: undefined,
  site: undefined,
  apiKey: undefined,
};
const onLoopback: GuardOptions = { host: "127.0.0.1", apiKey: undefined };

function statusOf(change: Partial<GuardedRequest>, options: Partial<GuardOptions> = {}): number | string {
  try {
    guardRequest({ ...request, ...change }, { ...onLoopback, ...options });
    return "passes";
  } catch (error) {
    return error instanceof Error && "status" in error ? Number(error.status) : String(error);
  }
}

describe("guardRequest", () => {
  it.each(["127.0.0.1", "127.0.0.1:80", "localhost:8123", "LOCALHOST", "[::1]:8123", "[::1]", "127.8.9.1:1"])(
    "lets the loopback name %s pass",
    (host) => expect(statusOf({ host })).toBe("passes"),
  );

  it.each([
    "example.com",
    "example.com:8123",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "192.168.0.2:8123",
    "",
    undefined,
  ])("refuses the Host %s, under which a web page may reach loopback", (host) => {
    expect(statusOf({ host })).toBe(403);
  });

  it.each(["http://localhost:3000", "https://127.0.0.1:8123", "http://example.com", "null", ""])(
    "refuses a call from a page of %s, whether it reads or writes",
    (origin) => {
      expect(statusOf({ origin })).toBe(403);
      expect(statusOf({ origin, site: "same-site" })).toBe(403);
    },
  );

  it("refuses pictures, scripts and links of other sites, which have no origin", () => {
    expect(statusOf({ site: "cross-site" })).toBe(403);
    expect(statusOf({ site: "cross-site", origin: "http://127.0.0.1:8123" })).toBe(403);
    expect(statusOf({ site: "none" }), "an address that was typed").toBe("passes");
    expect(statusOf({ site: "same-origin" })).toBe("passes");
  });

  it("lets its own origin call", () => {
    expect(statusOf({ origin: "http://127.0.0.1:8123" })).toBe("passes");
  });

  it("asks for the key where there is one, except for health", () => {
    const keyed = { apiKey: "tml-secret" };
    expect(statusOf({}, keyed)).toBe(401);
    expect(statusOf({ apiKey: "tml-secre" }, keyed)).toBe(401);
    expect(statusOf({ apiKey: "tml-secret" }, keyed)).toBe("passes");
    expect(statusOf({ method: "GET", path: "/api/v1/healthz" }, keyed)).toBe("passes");
    expect(statusOf({ method: "GET", path: "/api/v1/healthz/x" }, keyed)).toBe(401);
  });

  it.each(["/api/v1/healthz", "/api/v1/files/a/b/c"])(
    "lets %s be read without the key, and takes nothing for it",
    (path) => {
      const keyed = { apiKey: "tml-secret" };
      for (const method of ["GET", "HEAD"]) expect(statusOf({ method, path }, keyed)).toBe("passes");
      for (const method of ["POST", "PUT", "DELETE", "PATCH"])
        expect(statusOf({ method, path }, keyed)).toBe(401);
    },
  );

  it("beyond loopback the key guards alone", () => {
    expect(statusOf({ host: "box.example.com", apiKey: "k" }, { host: "0.0.0.0", apiKey: "k" })).toBe(
      "passes",
    );
    expect(statusOf({ host: "box.example.com" }, { host: "0.0.0.0", apiKey: "k" })).toBe(401);
    for (const host of ["", undefined])
      expect(statusOf({ host, apiKey: "k" }, { host: "0.0.0.0", apiKey: "k" })).toBe(400);
  });

  it("never says the key", () => {
    const attempt = () =>
      guardRequest({ ...request, apiKey: "tml-given" }, { ...onLoopback, apiKey: CANARY_KEY });
    expect(attempt).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/tml-/) }));
  });
});
