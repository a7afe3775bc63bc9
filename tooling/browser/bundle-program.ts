import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Bundle {
  /** One ES module. */
  readonly code: string;
  /** Every file that went into it, relative to the repository. */
  readonly files: readonly string[];
}

/**
 * Bundles a file of `programs/` as an application for the browser would: packages as they are built and published, nothing
 * put in place of Node's modules, so that an import of one ends the build.
 */
export async function bundleProgram(name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))],
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return { code: outputFiles[0]?.text ?? "", files: Object.keys(metafile.inputs) };
}
