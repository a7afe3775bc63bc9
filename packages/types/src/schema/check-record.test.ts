import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ResponseError, ValidationError } from "../api-errors.js";
import { checkReceived, checkSent } from "./check-record.js";

const schema = z.object({ a: z.number(), b: z.array(z.object({ c: z.string() })) });

describe("checking a record", () => {
  it("names the record and the place of each fault, three at most", () => {
    const wrong = { a: "x", b: [{ c: 1 }, { c: 2 }, { c: 3 }] };
    const check = () => checkSent(schema, wrong, "Thing");
    expect(check).toThrow(ValidationError);
    expect(check).toThrow(/^Thing: a: .*; b\[0\]\.c: .*; b\[1\]\.c: .* \(and 1 more\)$/);
  });

  it("gives the path of the first fault", () => {
    try {
      checkSent(schema, { a: 1, b: [{ c: 1 }] }, "Thing");
      expect.unreachable();
    } catch (error) {
      expect((error as ValidationError).path).toEqual(["b", 0, "c"]);
    }
  });

  it("tells what was sent from what was received", () => {
    const check = () => checkReceived(schema, {}, "Thing");
    expect(check).toThrow(ResponseError);
    expect(check).toThrow("Thing: a:");
  });

  it("takes any Standard Schema, but no asynchronous one", () => {
    const foreign = (value: number, isAsync: boolean) => ({
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => (isAsync ? Promise.resolve({ value }) : { value }),
      } as const,
    });
    expect(checkSent(foreign(5, false), undefined, "x")).toBe(5);
    expect(() => checkSent(foreign(5, true), undefined, "x")).toThrow(
      "an asynchronous schema cannot check a record",
    );
  });
});
