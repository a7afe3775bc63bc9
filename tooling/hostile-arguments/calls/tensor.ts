import {
  isTfTensorLike,
  TensorData,
  TensorMemory,
  toDense,
  toNested,
  toNumbers,
  toSparse,
  toTypedArray,
} from "@tinkex/tensor";
import { call, type PublicCalls } from "../public-call.js";

const tensor = () => ({ data: [1, 0, 3, 4], dtype: "float32" as const, shape: [2, 2] });

export const tensorCalls: PublicCalls = {
  "TensorData.from": call(
    (values: number[][], options: { dtype: "float32"; shape: number[] }) => TensorData.from(values, options),
    () => [
      [
        [1, 2],
        [3, 4],
      ],
      { dtype: "float32", shape: [2, 2] },
    ],
  ),
  "TensorData.fromAsync": call(
    (values: number[], options: { dtype: "int64" }) => TensorData.fromAsync(values, options),
    () => [[1, 2], { dtype: "int64" }],
  ),
  "TensorMemory.int32": call(
    (count: number) => new TensorMemory().int32(count),
    () => [4],
  ),
  "TensorMemory.float32": call(
    (count: number) => new TensorMemory().float32(count),
    () => [4],
  ),
  "TensorMemory.clear": call(
    () => new TensorMemory().clear(),
    () => [],
  ),
  isTfTensorLike: call(isTfTensorLike, () => [{}]),
  toDense: call(toDense, () => [toSparse(tensor())]),
  toNested: call(toNested, () => [tensor()]),
  toNumbers: call(toNumbers, () => [tensor()]),
  toSparse: call(toSparse, () => [tensor()]),
  toTypedArray: call(toTypedArray, () => [tensor()]),
};
