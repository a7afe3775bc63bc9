import { ValidationError } from "@tinkex/base";
import { expect, it } from "vitest";
import { mapNamed } from "./map-named.js";

const placeOf = (index: number) => `pairs[${index}]`;
const refuse = (): never => {
  throw new ValidationError("must be a pair");
};

it("makes what is made of each item, in order, and leaves out what nothing is made of", () => {
  expect(mapNamed([1, 2, 3], placeOf, (item) => (item === 2 ? [] : [item, item]))).toEqual([1, 1, 3, 3]);
});

it("names all refused items at once, the first twenty by their places", () => {
  const odd = (item: number) => (item % 2 === 1 ? refuse() : [item]);
  expect(() => mapNamed([0, 1, 2, 3], placeOf, odd)).toThrow(
    new ValidationError("pairs[1]: must be a pair; pairs[3]: must be a pair"),
  );
  const many = Array.from({ length: 23 }, () => 1);
  expect(() => mapNamed(many, placeOf, odd)).toThrow(/pairs\[19\]: must be a pair; and 3 more$/);
});

it("throws a failure that is no refusal as it is", () => {
  const failure = new RangeError("out of memory");
  const fail = (): never => {
    throw failure;
  };
  expect(() => mapNamed([1], placeOf, fail)).toThrow(failure);
});
