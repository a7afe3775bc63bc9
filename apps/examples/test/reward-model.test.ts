import { expect, it } from "vitest";
import { ExampleRun } from "./run-example.js";

it("the reward of a tf.LayersModel rises", { timeout: 120_000 }, async () => {
  const run = new ExampleRun([], {}, { program: "reward-model.js" });
  try {
    const { exitCode, stderr, lines } = await run.finish();
    expect(exitCode, stderr).toBe(0);
    const [, before, after] = /^mean reward: (\d\.\d+) -> (\d\.\d+)$/.exec(lines.at(-1) ?? "") ?? [];
    expect(Number(before)).toBeLessThan(0.3);
    expect(Number(after)).toBeGreaterThan(0.45);
    expect(lines.filter((line) => line.startsWith("step "))).toHaveLength(12);
    // It says which backend computes, and why not a faster one; tfjs's own greeting does not come in between (tensorflow/tfjs#5349).
    expect(lines.find((line) => line.startsWith("tensors on "))).toMatch(
      /^tensors on (tfjs-node|wasm|cpu)(;|$)/,
    );
    expect(stderr).not.toContain("speed things up");
  } finally {
    await run.dispose();
  }
});
