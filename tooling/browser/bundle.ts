import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Bundle {
  /** One ES module. */
  readonly code: string;
  /** Every file that went into it, relative to the repository. */
  readonly files: readonly string[];
}

/** Libraries that are imported by name, and those whose part lies in a package's `dist`. */
const LIBRARIES: Pick<BuildOptions, "packages" | "external"> = {
  packages: "external",
  external: ["./zod-*.js"],
};

/**
 * Bundles a file, named relative to the repository, as an application for the browser would: packages as they are built and
 * published, nothing put in place of Node's modules, so that an import of one ends the build.
 *
 * @param libraries whether libraries, and our other packages, go into the bundle too
 */
export function bundle(file: string, libraries: "bundled" | "left out" = "bundled"): Promise<Bundle> {
  return bundleFrom({ entryPoints: [file], ...(libraries === "bundled" ? {} : LIBRARIES) });
}

/** Bundles a program given as text, which may import the packages that this folder has. */
export function bundleText(contents: string): Promise<Bundle> {
  return bundleFrom({ stdin: { contents, resolveDir: import.meta.dirname }, packages: "bundle" });
}

async function bundleFrom(
  source: Pick<BuildOptions, "entryPoints" | "stdin" | "packages" | "external">,
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...source,
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

/** Bundles a file of `programs/`. @param external packages that are left out */
export function bundleProgram(name: string, external: readonly string[] = []): Promise<Bundle> {
  const file = `tooling/browser/programs/${name}.ts`;
  return bundleFrom({ entryPoints: [file], packages: "bundle", external: [...external] });
}
