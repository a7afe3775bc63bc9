import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const sources = fileURLToPath(new URL(".", import.meta.url));

/** Committed figures: growth is a change of this line. Bytes, minified and gzipped, zod left out. */
const everythingBytes = 19_860;

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: sources, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["@tinkex/source"],
    external: ["zod"],
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

describe("what the package costs", () => {
  it("is at most 30 KB for everything, and what was committed", async () => {
    const bytes = gzipSync(await bundle('export * from "./index.ts"')).length;
    expect(bytes).toBeLessThan(30_000);
    expect(Math.abs(bytes - everythingBytes) / everythingBytes, `${bytes} bytes now`).toBeLessThan(0.05);
  });

  it("is nothing for a type", async () => {
    expect(
      await bundle(
        'import type { Datum } from "./index.ts"; export const datum: Datum | undefined = undefined',
      ),
    ).toBe("var t=void 0;export{t as datum};\n");
  });

  it("is little for a path helper: the schemas of records are left out", async () => {
    const text = await bundle('export { CheckpointPath } from "./index.ts"');
    expect(text).not.toContain("zod");
    expect(gzipSync(text).length).toBeLessThan(1500);
  });

  it("needs nothing of Node: it builds for browsers", async () => {
    expect(await bundle('export * from "./index.ts"')).not.toMatch(/from"node:|require\(/);
  });
});
