import { expect, it } from "vitest";

/** Takes from this process what Node 23 removed, so that tfjs-node finds it as it would there. */
function removeFromUtil(...names: readonly string[]): void {
  const util: object = process.getBuiltinModule("node:util");
  for (const name of names) Reflect.deleteProperty(util, name);
}

it("computes on tfjs-node where Node has no isNullOrUndefined and isArray any more", async ({ skip }) => {
  removeFromUtil("isNullOrUndefined", "isArray");
  const { pickBackend, tf } = await import("../tfjs.js");
  const { reason, backend } = await pickBackend();
  if (backend !== "tfjs-node") skip(reason);
  const total = tf.tidy(() => tf.sum(tf.tensor([1, 2, 3])));
  expect(total.dataSync()[0]).toBe(6);
  total.dispose();
});
