import { ConnectionError, TimeoutError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { networkError } from "./network-error.js";

const facts = {
  operation: "get_info",
  baseUrl: "http://h/x",
  attempts: 4,
  earlierTries: [{ what: "ECONNREFUSED", pauseMs: 1, mayHaveArrived: false }],
  finalStatuses: [],
  secrets: [],
};
const broken = (cause: unknown): ReturnType<typeof networkError> =>
  networkError({ kind: "broken", cause, isStaleConnection: false }, facts);

describe("networkError", () => {
  it.each([
    [
      "ECONNREFUSED",
      "could not connect to http://h/x (ECONNREFUSED) for get_info after 4 tries; is the server running, and TINKER_BASE_URL right?",
    ],
    [
      "ENOTFOUND",
      "could not connect to http://h/x (ENOTFOUND) for get_info after 4 tries; there is no such host; is TINKER_BASE_URL right?",
    ],
    [
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "the connection to http://h/x failed (ERR_SSL_WRONG_VERSION_NUMBER) for get_info after 4 tries; no TLS is spoken there; should TINKER_BASE_URL begin with http://?",
    ],
    ["ECONNRESET", "the connection to http://h/x failed (ECONNRESET) for get_info after 4 tries"],
  ])("%s", (code, message) => {
    const error = broken(Object.assign(new Error("x"), { code }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message, attempts: 4, earlierTries: facts.earlierTries, retryable: true });
  });

  it("a failure without a code is told in its own words", () => {
    expect(broken(new Error("odd")).message).toContain("(odd)");
    expect(broken("text").message).toContain("(unknown reason)");
  });

  it("a time limit says what was waited for", () => {
    const error = networkError({ kind: "timed_out", waitingFor: "the status line", limitMs: 60_000 }, facts);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ timeoutMs: 60_000, attempts: 4, earlierTries: facts.earlierTries });
    expect(error.message).toBe("get_info at http://h/x waited 60000 ms for the status line after 4 tries");
  });
});
