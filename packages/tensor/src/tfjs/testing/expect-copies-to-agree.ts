import type { Tensor } from "@tensorflow/tfjs-core";
import type { TensorData as TensorRecord } from "@tinkex/types";
import { expect } from "vitest";
import { TensorData } from "../../tensor-data.js";
import type { Tfjs } from "../load-tfjs.js";

/** This package's side, imported before or after the user's copy. */
interface OurSide {
  readonly tf: Tfjs;
  readonly toTensor: (tensor: TensorRecord) => Tensor;
}

/** Imports the user's copy. To the compiler the classes of two copies differ (in a protected member), so a user casts too. */
export async function importOlderCopy(): Promise<Tfjs> {
  return (await import("tfjs-core-older")) as unknown as Tfjs;
}

/** Does as a user's program whose copy of tfjs is older than the one that this package found. */
export function expectCopiesToAgree(user: Tfjs, { tf, toTensor }: OurSide): void {
  expect(user.version_core).toBe("4.20.0");
  expect(user.version_core).not.toBe(tf.version_core);
  const before = tf.memory().numTensors;

  const theirs = user.tensor([[1, 2]], undefined, "int32");
  expect(TensorData.from(theirs)).toEqual({ data: Int32Array.of(1, 2), dtype: "int64", shape: [1, 2] });

  const made = toTensor({ data: [3, 4], dtype: "float32" });
  const sum = user.tidy(() => user.sum(user.mul(made, user.cast(theirs, "float32"))));
  expect(sum.dataSync()[0]).toBe(11);

  // The user's operations inside, our gradient around them, and the other way round.
  const ourGradient = tf.grad((x) => user.sum(user.square(x)))(made);
  const theirGradient = user.grad((x) => tf.sum(tf.square(x)))(made);
  expect(Array.from(ourGradient.dataSync())).toEqual([6, 8]);
  expect(Array.from(theirGradient.dataSync())).toEqual([6, 8]);

  user.dispose([theirs, sum, ourGradient]);
  tf.dispose([made, theirGradient]);
  expect(user.memory().numTensors).toBe(before);
}
