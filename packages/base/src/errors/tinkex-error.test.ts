import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  AbortedError,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  UnsupportedByServerError,
  ValidationError,
} from "./api-errors.js";
import { TinkexError } from "./tinkex-error.js";

const cause = new Error("below");

const errors: readonly (readonly [TinkexError, string, boolean])[] = [
  [new ValidationError("m", { path: ["data", 3], cause }), "validation_failed", false],
  [
    new ApiStatusError("m", {
      code: "rate_limited",
      retryable: true,
      status: 429,
      body: {},
      attempts: 2,
      cause,
    }),
    "rate_limited",
    true,
  ],
  [new ConnectionError("m", { attempts: 3, cause }), "connection_failed", true],
  [new TimeoutError("m", { timeoutMs: 5, requestId: "r", cause }), "timed_out", true],
  [new AbortedError("m", { cause }), "aborted", false],
  [new ClosedError("m"), "closed", false],
  [new RequestFailedError("m", { requestId: "r", category: "user", cause }), "request_failed", false],
  [new ResponseError("m", { cause }), "response_invalid", false],
  [new ResponseError("m", { code: "decode_failed" }), "decode_failed", false],
  [new UnsupportedByServerError("m", { feature: "f", cause }), "unsupported_by_server", false],
];

describe("errors", () => {
  it.each(errors)("%s has its code and says whether to try again", (error, code, retryable) => {
    expect(error).toBeInstanceOf(TinkexError);
    expect([error.code, error.retryable, error.message]).toEqual([code, retryable, "m"]);
    expect(error.name).toBe(error.constructor.name);
  });

  it("keep their cause and what they know", () => {
    const [[invalid], [status], , [timeout]] = errors as [
      [ValidationError],
      [ApiStatusError],
      unknown,
      [TimeoutError],
    ];
    expect(invalid).toMatchObject({ path: ["data", 3], cause });
    expect(status).toMatchObject({ status: 429, attempts: 2, cause });
    expect(timeout).toMatchObject({ timeoutMs: 5, requestId: "r" });
    expect(new ValidationError("m").path).toEqual([]);
    expect("cause" in new ClosedError("m")).toBe(false);
  });

  it("are recognised across copies of the package, and nothing else is", () => {
    const foreign = Object.assign(new Error("m"), { [Symbol.for("@tinkex/error")]: true });
    expect(TinkexError.isInstance(foreign)).toBe(true);
    for (const other of [new Error("m"), null, undefined, "m", {}])
      expect(TinkexError.isInstance(other)).toBe(false);
  });

  it("name a subclass of the caller's after itself, in the stack that is printed too", () => {
    class BadPromptError extends ValidationError {}
    const error = new BadPromptError("m");
    expect(error.name).toBe("BadPromptError");
    expect(inspect(error)).toMatch(/^BadPromptError: m\n/);
    expect(inspect(new ValidationError("m"))).toMatch(/^ValidationError: m\n/);
  });

  it("show nothing of the mark when they are printed", () => {
    expect(inspect(new ClosedError("m"))).not.toContain("@tinkex/error");
  });
});
