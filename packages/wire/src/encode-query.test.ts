import { expect, it } from "vitest";
import { encodeQuery } from "./encode-query.js";

it("wire-types 17: times are escaped", () => {
  const query = { starting_on: "2026-07-13T00:00:00Z", ending_before: "2026-07-14T00:00:00Z" };
  expect(encodeQuery(query)).toBe(
    "starting_on=2026-07-13T00%3A00%3A00Z&ending_before=2026-07-14T00%3A00%3A00Z",
  );
});

it("leaves out what is unset, keeps 0, writes booleans as words and lists with commas", () => {
  const query = { a: undefined, b: null, c: "", d: 0, e: false, f: ["x", 1], g: 2n ** 60n };
  expect(encodeQuery(query)).toBe("d=0&e=false&f=x%2C1&g=1152921504606846976");
});
