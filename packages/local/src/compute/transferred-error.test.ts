import { AbortedError, ClosedError, TinkexError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { packError, unpackError } from "./transferred-error.js";

/** What the other thread gets. */
const across = (error: unknown) => unpackError(structuredClone(packError(error)));

describe("packError and unpackError", () => {
  it("keep class, message, code and fields of our errors", () => {
    const invalid = across(new ValidationError("bad", { path: ["prompt", 3] }));
    expect(invalid).toBeInstanceOf(ValidationError);
    expect(invalid).toMatchObject({ message: "bad", code: "validation_failed", path: ["prompt", 3] });
    expect(across(new AbortedError("stop"))).toBeInstanceOf(AbortedError);
    expect(across(new ClosedError("shut"))).toBeInstanceOf(ClosedError);
    const missing = across(new TinkexError("not there", { code: "missing_dependency", retryable: true }));
    expect(missing).toMatchObject({ message: "not there", code: "missing_dependency", retryable: true });
  });

  it("say that any other error is a fault of the engine, and where it happened", () => {
    const fault = across(new TypeError("x is not a function"));
    expect(fault).toBeInstanceOf(TinkexError);
    expect(fault).toMatchObject({
      message: "the engine failed: x is not a function",
      code: "request_failed",
    });
    expect(fault.cause).toMatch(/transferred-error\.test/);
    expect(across("text").message).toBe("the engine failed: text");
  });
});
