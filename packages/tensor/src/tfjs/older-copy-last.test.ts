import { expect, it } from "vitest";
import { expectCopiesToAgree, importOlderCopy } from "./testing/expect-copies-to-agree.js";

it("works with a user's tfjs of an older minor version that was loaded last", async () => {
  const { tf } = await import("./tf.js");
  const { toTensor } = await import("./to-tensor.js");
  expect(globalThis).toHaveProperty("_tfengine", tf.engine());
  const user = await importOlderCopy();
  expectCopiesToAgree(user, { tf, toTensor });
});
