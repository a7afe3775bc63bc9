import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { TensorData, toNumbers } from "./index.js";

/** A value of another realm, as a frame or a test runner has them. */
const foreign = (source: string) => runInNewContext(source);

// jestjs/jest#11864, uwdata/flechette#68: arrays of native modules and of frames are of other realms than the code that reads them.
describe("a typed array of another realm", () => {
  it.each([
    ["Float32Array", "[1.5, -2]", "float32", Float32Array.of(1.5, -2)],
    ["Float64Array", "[1.5, -2]", "float32", Float32Array.of(1.5, -2)],
    ["Int8Array", "[1, -2]", "int64", Int32Array.of(1, -2)],
    ["Uint8ClampedArray", "[1, 300]", "int64", Int32Array.of(1, 255)],
    ["Uint16Array", "[1, 2]", "int64", Int32Array.of(1, 2)],
    ["Int32Array", "[1, -2]", "int64", Int32Array.of(1, -2)],
    ["Uint32Array", "[1, 4294967295]", "int64", [1, 4_294_967_295]],
    ["BigInt64Array", "[1n, -2n]", "int64", BigInt64Array.of(1n, -2n)],
    ["BigUint64Array", "[1n, 2n]", "int64", BigInt64Array.of(1n, 2n)],
  ] as const)("is one of its class: %s", (name, elements, dtype, data) => {
    const array = foreign(`new ${name}(${elements})`);
    expect(TensorData.from(array)).toStrictEqual({ data, dtype, shape: [2] });
    const record = foreign(`({ data: new ${name}(${elements}), dtype: "${dtype}" })`);
    expect(TensorData.from(record).data).toStrictEqual(data);
  });

  it("shares its memory, and begins where it begins", () => {
    const array = foreign("new Float32Array([1, 2, 3]).subarray(1)");
    const tensor = TensorData.from(array);
    array[0] = 7;
    expect(toNumbers(tensor)).toEqual([7, 3]);
  });

  it("of a subclass is one of that class too", () => {
    const array = foreign("new (class Weights extends Float32Array {})([0.5])");
    expect(TensorData.from(array)).toStrictEqual({
      data: Float32Array.of(0.5),
      dtype: "float32",
      shape: [1],
    });
  });

  it("holds halves as one of here does", () => {
    expect(toNumbers(TensorData.fromBFloat16(foreign("new Uint16Array([0x3f80])")))).toEqual([1]);
    const halves = foreign("new Uint16Array([0x3f80])");
    expect(() => TensorData.from(halves, { dtype: "float32" })).toThrow(/a Uint16Array is no float32/);
  });

  it.each([
    ["new DataView(new ArrayBuffer(4))", /a DataView holds bytes, not numbers/],
    ["({ data: new DataView(new ArrayBuffer(4)), dtype: 'int64' })", /data must be a flat list of numbers/],
    ["new ArrayBuffer(4)", /expected numbers, got an object/],
  ])("is no %s", (source, message) => {
    expect(() => TensorData.from(foreign(source))).toThrow(message);
  });

  it("whose memory is gone is refused by its place", () => {
    const array = foreign("new Float32Array(2)");
    structuredClone(array.buffer, { transfer: [array.buffer] });
    expect(() => TensorData.from(array, { key: "weights", datumIndex: 1 })).toThrow(
      /^data\[1\]\.loss_fn_inputs\.weights: is a typed array whose memory was transferred/,
    );
  });
});
