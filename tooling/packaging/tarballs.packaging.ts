import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { describe, expect, it } from "vitest";
import { packedFiles } from "./packed-files.js";
import { publicPackages } from "./public-packages.js";

/** Ways to look for types that no package promises: ours are ESM, and for what reads `exports`. */
const NOT_PROMISED: readonly unknown[] = ["node10", "node16-cjs"];

// Both programs check in this process: started anew for each package, they would load a compiler each time.
describe.each(publicPackages)("$name as it will be published", ({ tarball, unpacked }) => {
  const { files, text } = packedFiles({ unpacked });

  it("has nothing publint complains of", async () => {
    const bytes = Uint8Array.from(readFileSync(tarball));
    const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
    expect(messages.filter(({ type }) => type === "error")).toEqual([]);
  });

  it("resolves its types for ESM importers", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (!analysis.types) throw new Error("it has no types");
    const promised = analysis.problems.filter(
      (problem) => !("resolutionKind" in problem && NOT_PROMISED.includes(problem.resolutionKind)),
    );
    expect(promised).toEqual([]);
  });

  it("ships no sources, tests or fixtures", () => {
    expect(files).toContain("README.md");
    expect(files).toContain("LICENSE");
    expect(files.filter((file) => /\.test\.|fixtures|^src\//.test(file))).toEqual([]);
  });

  it("declares nothing by types of a schema library", () => {
    const declarations = files
      .filter((file) => file.startsWith("dist/") && file.endsWith(".d.ts"))
      .map(text)
      .join("\n");
    expect(declarations).toContain("export ");
    expect(declarations.match(/.*["'](?:zod|@zod)\b.*/g) ?? []).toEqual([]);
  });
});
