import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle, bundleText } from "./bundle.js";
import { BUNDLE_SIZES, MAX_IMPORT_BYTES } from "./bundle-sizes.js";

/** How far from the committed figure a size may be, as a share of it. */
const TOLERANCE = 0.1;

describe.each(Object.entries(BUNDLE_SIZES))("%s", (_, { file, ownBytes, wholeBytes }) => {
  it.each([
    ["by itself", "left out", ownBytes],
    ["with all it imports", "bundled", wholeBytes],
  ] as const)("is as large as was committed, %s", async (_, libraries, committed) => {
    const { code } = await bundle(`packages/${file}`, libraries);
    const bytes = gzipSync(code).length;
    const advice = `${bytes} bytes now, ${committed} committed in tooling/browser/bundle-sizes.ts`;
    expect(Math.abs(bytes - committed) / committed, advice).toBeLessThan(TOLERANCE);
  });
});

// colinhacks/zod#2596, colinhacks/zod#6050: one small name brings the whole schema library.
describe("a name of @tinkex/types that is imported alone", () => {
  it.each(Object.entries(MAX_IMPORT_BYTES))("%s costs at most %i bytes", async (name, maxBytes) => {
    const { code } = await bundleText(`import { ${name} } from "@tinkex/types"; console.log(${name});`);
    expect(code).toContain("console.log(");
    expect(code.length).toBeLessThanOrEqual(maxBytes);
  });

  it("brings the schema library where it is a schema, so that what is measured above is more than nothing", async () => {
    const { code } = await bundleText(
      `import { adamParamsSchema } from "@tinkex/types"; console.log(adamParamsSchema);`,
    );
    expect(code.length).toBeGreaterThan(20_000);
  });
});
