import { describe, expect, it } from "vitest";
import { statusError } from "./status-error.js";

const facts = {
  operation: "get_info",
  baseUrl: "http://h/x",
  attempts: 1,
  earlierTries: [],
  finalStatuses: [],
  secrets: [],
};
const errorFor = (status: number, text = "", headers = {}): ReturnType<typeof statusError> =>
  statusError({ kind: "answer", status, headers, body: new TextEncoder().encode(text) }, facts);

describe("statusError", () => {
  it.each([
    [400, "bad_request", false],
    [401, "authentication_failed", false],
    [402, "billing_required", true],
    [403, "permission_denied", false],
    [404, "not_found", false],
    [408, "bad_request", true],
    [409, "conflict", true],
    [410, "gone", false],
    [418, "bad_request", false],
    [422, "unprocessable", false],
    [429, "rate_limited", true],
    [500, "server_error", true],
    [503, "server_error", true],
    [599, "server_error", true],
    [302, "bad_request", false],
    [304, "bad_request", false],
  ])("transport 67: %i is %s", (status, code, retryable) => {
    expect(errorFor(status)).toMatchObject({ status, code, retryable });
  });

  it("says what was tried, what came back and what to do", () => {
    expect(errorFor(404, '{"detail":"no such model"}').message).toBe(
      "get_info at http://h/x was answered 404 Not Found: no such model",
    );
  });

  it("keeps the service's id of the exchange", () => {
    expect(errorFor(500, "", { "x-request-id": "r1" }).requestId).toBe("r1");
  });
});
