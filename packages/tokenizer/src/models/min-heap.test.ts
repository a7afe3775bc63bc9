import { expect, it } from "vitest";
import { MinHeap } from "./min-heap.js";

function drain(heap: MinHeap): number[] {
  const items: number[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) items.push(item);
  return items;
}

it("gives numbers back in order, equal ones as often as they were put in", () => {
  // A multiplicative generator: the same numbers in every run.
  const numbers = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 613);
  const heap = new MinHeap();
  for (const number of numbers) heap.push(number);
  expect(drain(heap)).toEqual(numbers.toSorted((a, b) => a - b));
});

it("keeps the order when taking out and putting in alternate", () => {
  const heap = new MinHeap();
  for (const number of [5, 3, 8]) heap.push(number);
  expect(heap.pop()).toBe(3);
  for (const number of [1, 6]) heap.push(number);
  expect(heap.pop()).toBe(1);
  expect(drain(heap)).toEqual([5, 6, 8]);
  expect(heap.pop()).toBeUndefined();
});
