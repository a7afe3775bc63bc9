import { describe, expect, it } from "vitest";
import { checkSent } from "./check-record.js";
import { closedName, unknownName } from "./names.js";

describe("unknownName", () => {
  it.each([
    [5, "got 5"],
    [null, "got null"],
    [undefined, "got undefined"],
    [{}, "got an object"],
    [["png"], "got an array"],
    ["a\u202eb\n", 'got "a\\u202eb\\n"'],
  ])("says what was given in place of a name, as other messages do: %j", (given, shown) => {
    expect(unknownName(given, ["png", "jpeg"])).toBe(`must be one of "png", "jpeg", ${shown}`);
  });

  it("shows no more than the beginning of a long string", () => {
    expect(unknownName("x".repeat(1_000_000), ["png"]).length).toBeLessThan(300);
  });

  it("gives its words to the schema of a closed set of names", () => {
    expect(() => checkSent(closedName(["png", "jpeg"]), 7, "format")).toThrow(
      'format: must be one of "png", "jpeg", got 7',
    );
  });
});
