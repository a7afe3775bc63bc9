import { startLocalServer } from "@tinkex/local";
import { describe, expect, it } from "vitest";
import { readFlow } from "./flow.js";
import { findPython, PYTHON_SDKS, runPythonFlow } from "./python-sdk.js";
import { runClientFlow } from "./run-client-flow.js";

/** Largest difference that the same data and seed may make, relative to the loss. */
const TOLERANCE = 1e-5;

describe.each(PYTHON_SDKS)("the official Python SDK $version", (sdk) => {
  it("trains and samples on the local server as the TypeScript client does", {
    timeout: 180_000,
  }, async (context) => {
    const found = await findPython(sdk, process.env);
    if ("missing" in found) {
      console.warn(`skipped: tinker ${sdk.version}: ${found.missing}`);
      context.skip(found.missing);
      return;
    }
    const server = await startLocalServer();
    try {
      const baseModel = server.models[0]?.name ?? "";
      const flow = readFlow();
      const ours = await runClientFlow(server.url, baseModel, flow);
      const theirs = await runPythonFlow(found.python, server.url, baseModel);
      expect(ours.losses).toHaveLength(flow.steps);
      expect(ours.losses.at(-1)).toBeLessThan((ours.losses[0] ?? 0) / 2);
      expect(relativeGap(theirs.losses, ours.losses)).toBeLessThan(TOLERANCE);
      expect(theirs.tokens).toEqual(ours.tokens);
      expect(relativeGap(theirs.logprobs, ours.logprobs)).toBeLessThan(TOLERANCE);
    } finally {
      await server.close();
    }
  });
});

describe("findPython", () => {
  const sdk = { version: "1.2.3", variable: "PYTHON", venv: ".cache/none" };

  it("takes a command as well as a path", async () => {
    // Node runs here for certain, and has no package of Python's.
    expect(await findPython(sdk, { PYTHON: "node" })).toEqual({
      missing: expect.stringMatching(/^node has no package tinker/),
    });
  });

  it("says where there is none", async () => {
    expect(await findPython(sdk, { PYTHON: "no-such-python" })).toEqual({
      missing: expect.stringMatching(/^no Python at no-such-python/),
    });
    expect(await findPython(sdk, {})).toEqual({ missing: expect.stringMatching(/^no Python at .*none/) });
  });
});

/** Largest difference of two lists, each relative to the size of its element. */
function relativeGap(a: readonly number[], b: readonly number[]): number {
  expect(a).toHaveLength(b.length);
  return Math.max(
    ...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN)) / Math.max(1, Math.abs(value))),
  );
}
