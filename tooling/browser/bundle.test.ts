import { expect, it } from "vitest";
import { bundleProgram } from "./bundle.js";
import { PROGRAMS } from "./program-page.js";

it.each(PROGRAMS)(
  "bundles %s without a module of Node, from packages as they are published",
  async (name) => {
    const { code, files } = await bundleProgram(name);
    expect(code).not.toMatch(/["']node:|require\(/);
    const ours = files.filter((file) => file.startsWith("packages/"));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((file) => !/^packages\/[^/]+\/dist\//.test(file))).toEqual([]);
  },
);
