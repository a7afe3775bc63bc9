import { afterEach, expect, it } from "vitest";
import { type LossInputs, lossInputs } from "./custom-loss-inputs.js";
import { tf } from "./tf.js";

const logprobs = [Float32Array.of(-1, -2), Float32Array.of(-3), Float32Array.of(-4, -5, -6)];

let inputs: LossInputs | undefined;
afterEach(() => tf.dispose(inputs?.leaves ?? []));

function opened(): LossInputs {
  inputs = lossInputs([], logprobs);
  return inputs;
}

it("makes a datum's tensor when it is first asked for, once", () => {
  const { logprobs: tensors, leaves } = opened();
  expect(leaves).toHaveLength(1);
  expect([...(tensors[2]?.dataSync() ?? [])]).toEqual([-4, -5, -6]);
  expect(tensors[2]).toBe(tensors[2]);
  expect(leaves).toHaveLength(2);
});

it.each<[string, (tensors: LossInputs["logprobs"]) => readonly (readonly number[])[]]>([
  ["map", (tensors) => tensors.map(({ shape }) => shape)],
  ["a spread", (tensors) => [...tensors].map(({ shape }) => shape)],
  ["slice", (tensors) => tensors.slice(0).map(({ shape }) => shape)],
  ["concat", (tensors) => ([] as LossInputs["logprobs"][number][]).concat(tensors).map(({ shape }) => shape)],
  ["entries", (tensors) => Array.from(tensors.entries(), ([, { shape }]) => shape)],
  ["Object.values", (tensors) => Object.values(tensors).map(({ shape }) => shape)],
  [
    "forEach",
    (tensors) => {
      const shapes: (readonly number[])[] = [];
      tensors.forEach(({ shape }) => {
        shapes.push(shape);
      });
      return shapes;
    },
  ],
])("is a list like any other to %s", (_, shapesOf) => {
  const { logprobs: tensors } = opened();
  expect(Array.isArray(tensors)).toBe(true);
  expect(tensors).toHaveLength(3);
  expect(shapesOf(tensors)).toEqual([[2], [1], [3]]);
});

it("has nothing beyond its end, before its beginning, or under another name", () => {
  const { logprobs: tensors, leaves } = opened();
  expect([
    tensors[3],
    tensors[-1],
    tensors.at(3),
    Reflect.get(tensors, "first"),
    Reflect.get(tensors, "0.5"),
  ]).toEqual(Array(5).fill(undefined));
  expect(3 in tensors).toBe(false);
  expect(leaves).toHaveLength(1);
});

it("takes each result to the datum whose tensor it belongs to, in whatever order they were asked for", () => {
  const { logprobs: tensors, resultsOf } = opened();
  void [tensors[2], tensors[0]];
  const { joined, datum } = resultsOf(["row", "third", "first"]);
  expect([joined, datum(0), datum(1), datum(2)]).toEqual(["row", "first", undefined, "third"]);
});
