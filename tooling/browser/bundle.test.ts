import { expect, it } from "vitest";
import { bundleProgram } from "./bundle.js";
import { PROGRAMS } from "./program-page.js";

/**
 * ONNX Runtime's builds for browsers have requires of Node's modules, which they do not come to in a browser: what this repository wrote
 * is looked at without them.
 */
const RUNTIME = ["onnxruntime-web"];

it.each(PROGRAMS)(
  "bundles %s without a module of Node, from packages as they are published",
  async (name) => {
    const { code, files } = await bundleProgram(name, RUNTIME);
    expect(code).not.toMatch(/["']node:|require\(/);
    const ours = files.filter((file) => file.startsWith("packages/"));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((file) => !/^packages\/[^/]+\/dist\//.test(file))).toEqual([]);
  },
);
