import { expect, it } from "vitest";
import { expectCopiesToAgree, importOlderCopy } from "./testing/expect-copies-to-agree.js";

it("works with a user's tfjs of an older minor version that was loaded first", async () => {
  const user = await importOlderCopy();
  // Whichever comes first owns the engine that all copies share.
  expect(globalThis).toHaveProperty("_tfengine", user.engine());
  const { tf } = await import("./tf.js");
  const { toTensor } = await import("./to-tensor.js");
  expectCopiesToAgree(user, { tf, toTensor });
});
