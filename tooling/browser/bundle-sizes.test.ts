import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle } from "./bundle.js";
import { BUNDLE_SIZES } from "./bundle-sizes.js";

/** How far from the committed figure a size may be, as a share of it. */
const TOLERANCE = 0.1;

describe.each(Object.entries(BUNDLE_SIZES))("%s", (_, { file, ownBytes, wholeBytes }) => {
  it.each([
    ["by itself", "external", ownBytes],
    ["with all it imports", "bundle", wholeBytes],
  ] as const)("is as large as was committed, %s", async (_, packages, committed) => {
    const { code } = await bundle(`packages/${file}`, packages);
    const bytes = gzipSync(code).length;
    const advice = `${bytes} bytes now, ${committed} committed in tooling/browser/bundle-sizes.ts`;
    expect(Math.abs(bytes - committed) / committed, advice).toBeLessThan(TOLERANCE);
  });
});
