import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ValidationError } from "../errors/api-errors.js";
import {
  checkArray,
  checkBytes,
  checkFunction,
  checkNumberList,
  checkObject,
  checkString,
} from "./check-argument.js";
import { describeKind, describeValue } from "./describe-value.js";

function detached(): Float32Array {
  const array = new Float32Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** An array beyond the end of its memory, which was made smaller; the compiler's library has no such memory yet. */
function shrunk(): Uint8Array {
  const Resizable = ArrayBuffer as unknown as new (
    length: number,
    options: object,
  ) => ArrayBuffer & { resize(length: number): void };
  const memory = new Resizable(8, { maxByteLength: 8 });
  const array = new Uint8Array(memory, 4, 4);
  memory.resize(4);
  return array;
}

describe("showing a value in a message", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5n, "5n"],
    [-0.5, "-0.5"],
    ["a\u001bb", '"a\\u001bb"'],
    ["x".repeat(300), `"${"x".repeat(200)}"`],
    [Symbol("secret"), "a symbol"],
    [[1, 2], "an array"],
    [Object.create(null), "an object"],
    [detached(), "an object (Float32Array)"],
    [new Map(), "an object (Map)"],
  ])("%#: a value that may lack every method", (value, shown) => {
    expect(describeValue(value)).toBe(shown);
  });

  it("names the kind alone where the content may be secret", () => {
    expect(describeKind("tml-key")).toBe("a string");
  });
});

describe("checking an argument", () => {
  const wrong: readonly (readonly [() => void, string])[] = [
    [() => checkString(5n, "name"), "name must be a string, got 5n"],
    [() => checkString(undefined, "name", "step-1"), 'name must be a string, e.g. "step-1", got undefined'],
    [
      () => checkObject([1], "params", "{ base_model }"),
      "params must be an object, e.g. { base_model }, got an array",
    ],
    [() => checkObject("tml-key", "params"), "params must be an object, got a string"],
    [() => checkArray({}, "chunks"), "chunks must be an array, got an object"],
    [
      () => checkNumberList(new DataView(new ArrayBuffer(1)), "ids"),
      "ids must be an array or a typed array of numbers, got an object (DataView)",
    ],
    [
      () => checkNumberList(runInNewContext("new DataView(new ArrayBuffer(4))"), "ids"),
      "ids must be an array or a typed array of numbers, got an object (DataView)",
    ],
    [
      () => checkNumberList(detached(), "ids"),
      "ids is a typed array whose memory was transferred to another thread or resized; copy it before",
    ],
    [
      () => checkBytes(shrunk(), "body"),
      "body is a typed array whose memory was transferred to another thread or resized; copy it before",
    ],
    [() => checkBytes("x", "body"), "body must be a Uint8Array, got a string"],
    [() => checkFunction({}, "source"), "source must be a function, got an object"],
  ];

  it.each(wrong)("%#: refuses what is of another kind", (check, message) => {
    expect(check).toThrow(ValidationError);
    expect(check).toThrow(message);
  });

  it("lets the right kind pass, empty ones among them", () => {
    checkString("", "x");
    checkObject(Object.create(null), "x");
    checkArray([], "x");
    checkNumberList(new BigInt64Array(0), "x");
    checkBytes(new Uint8Array(0), "x");
    checkFunction(() => undefined, "x");
  });
});
