import { ResponseError, ValidationError } from "@tinkex/base";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as z3 from "zod/v3";
import { checkReceived, checkRecord, checkSent } from "./check-record.js";
import { sentObject } from "./objects.js";

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
      "x: cannot be checked: it refers to itself, or its schema is asynchronous",
    );
  });

  it("takes no asynchronous schema of zod either", () => {
    const schema = z.string().refine(async () => true);
    expect(() => checkSent(schema, "a", "x")).toThrow("x: cannot be checked: it refers to itself");
  });

  it("gives a typed error, and leaves no rejected promise behind, where a schema throws", async () => {
    failOnUnhandledErrors();
    const throws = z.unknown().transform(() => {
      throw new RangeError("stack");
    });
    expect(() => checkReceived(throws, {}, "x")).toThrow(ResponseError);
  });

  // colinhacks/zod#3756, colinhacks/zod#2401: what a transformation throws comes out of safeParse.
  it.each([
    [{ a: 1, b: [{ c: 1 }] }, [["record", "b", "0", "c"]]],
    [
      { a: "x", b: 5 },
      [
        ["record", "a"],
        ["record", "b"],
      ],
    ],
    [5n, [["record"]]],
    [{ a: 1, b: [] }, undefined],
  ])("gives faults of %o that are issues of another schema around it", (record, paths) => {
    const within = z.unknown().transform((value, context): unknown => {
      const outcome = checkRecord(schema, value);
      if (outcome.issues === undefined) return outcome.value;
      for (const { message, path = [] } of outcome.issues)
        context.addIssue({ code: "custom", message, path: path.map(String) });
      return z.NEVER;
    });
    const { error } = z.object({ record: within }).safeParse({ record });
    expect(error?.issues.map(({ path }) => path)).toEqual(paths);
  });

  it("gives faults that are issues of a schema of zod 3, with the lines that the README has", () => {
    const within = z3.unknown().transform((value, context): unknown => {
      const outcome = checkRecord(schema, value);
      if (outcome.issues === undefined) return outcome.value;
      for (const { message, path = [] } of outcome.issues) {
        const parts = path.map((part) => (typeof part === "object" ? part.key : part));
        context.addIssue({ code: "custom", message, path: parts.filter((part) => typeof part !== "symbol") });
      }
      return z3.NEVER;
    });
    const settings = z3.object({ record: within });
    const { error } = settings.safeParse({ record: { a: 1, b: [{ c: 1 }] } });
    expect(error?.issues).toEqual([
      { code: "custom", message: "must be a string, got 1", path: ["record", "b", 0, "c"] },
    ]);
    const record = { a: 1, b: [] };
    expect(settings.parse({ record })).toEqual({ record });
  });

  it.each([
    [z.string(), 5, "x: must be a string, got 5"],
    [z.string(), undefined, "x: is missing; it must be a string"],
    [z.number(), "secret", "x: must be a finite number, got a string"],
    [z.number(), Number.NaN, "x: must be a finite number, got NaN"],
    [z.int(), 1.5, "x: must be a whole number, got 1.5"],
    [z.boolean(), null, "x: must be true or false, got null"],
    [z.array(z.string()).min(1), [], "x: must hold 1 or more elements, got 0"],
    [z.string().min(1), "", "x: must hold 1 or more characters, got 0"],
    [z.number().positive(), 0, "x: must be above 0, got 0"],
    [z.number().max(1), 2, "x: must be 1 or less, got 2"],
    [z.literal("a"), "secret", 'x: must be "a", got a string'],
    [z.record(z.string(), z.number()), [], "x: must be an object, got an array"],
    [z.union([z.string(), z.number()]), {}, "x: must be a value of another form, got an object"],
    [z.strictObject({ a: z.string() }), { a: "", b: 1 }, 'x: unknown field "b"'],
  ] as const)("speaks in words of its own, and shows no string: %#", (schema, value, message) => {
    expect(() => checkSent<unknown>(schema, value, "x")).toThrow(message);
  });

  it("names a misspelt field before the fields that are missing for it", () => {
    const strict = sentObject(() => ({
      weights: z.number(),
      bias: z.number(),
      scale: z.number(),
      name: z.string(),
    }));
    expect(() => checkSent(strict, { wieghts: 1 }, "Thing")).toThrow(
      /^Thing: unknown field "wieghts", did you mean "weights"\?; weights: .*; bias: .* \(and 2 more\)$/,
    );
  });
});
