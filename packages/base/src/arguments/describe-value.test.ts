import { describe, expect, it } from "vitest";
import { checkObject, checkString } from "./check-argument.js";
import { describeKind, describeValue } from "./describe-value.js";

describe("a promise where its value was meant", () => {
  const forgotten = Promise.resolve("tml-key");

  it("is named with the remedy, whatever was wanted", () => {
    expect(describeValue(forgotten)).toBe("a promise: await it first");
    expect(describeKind(forgotten)).toBe("a promise: await it first");
    expect(() => checkString(forgotten, "name")).toThrow(
      "name must be a string, got a promise: await it first",
    );
  });

  it("is refused as an object with named fields, of which it has none", () => {
    expect(() => checkObject(forgotten, "tokenizer")).toThrow(
      "tokenizer must be an object, got a promise: await it first",
    );
  });
});
