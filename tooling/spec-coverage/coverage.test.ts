import { join } from "node:path";
import { expect, it } from "vitest";
import { coverage, numbersIn, testTitles } from "./coverage.js";

it("finds titles and the numbers in them", () => {
  const source = `it("wire-types 7, 9: a", f); it.each([["newest-wire 13: %s"]])("x", f); // wire-types 99`;
  expect(testTitles(source)).toEqual(["wire-types 7, 9: a", "newest-wire 13: %s"]);
  const numbers = numbersIn(["wire-types 7, 9: a", "newest-wire 13, wire-types 2: b"]);
  expect(numbers.get("wire-types")).toEqual(new Set([7, 9, 2]));
  expect(numbers.get("newest-wire")).toEqual(new Set([13]));
});

it("every number of the pages on records, bytes and transport is tested or explained", () => {
  const open = coverage(join(import.meta.dirname, "..", "..")).map(({ page, open }) => [page, open]);
  expect(Object.fromEntries(open)).toEqual({
    "wire-types": [],
    protobuf: [],
    "newest-wire": [],
    transport: [],
  });
});
