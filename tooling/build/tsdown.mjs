import { readFileSync } from "node:fs";
import { defineConfig } from "tsdown";
import { pureInitializers } from "./pure-initializers.mjs";

/**
 * How every package is built: ESM and type declarations, down-levelled to the oldest Node the packages run on.
 *
 * @param {string[] | Record<string, string>} entry source files, each of which becomes a file of the same name, or of its key, in `dist`
 * @param {{ unbundle?: boolean, platform?: "neutral" | "node", isPure?: boolean, isSecond?: boolean,
 * replacedFiles?: Record<string, string>, bundled?: string }} [options] `unbundle` keeps one output file per source file; `platform` is `neutral` for what
 * also runs in a browser; `isPure` lets bundlers drop unused constants; `replacedFiles` names a source to build in place of another, and
 * `isSecond` leaves what an earlier build put into `dist`, and declares nothing; `bundled` names a library of which the used part becomes
 * a file of its own in `dist`, in place of a dependency (docs/decisions/058)
 */
export function packageBuild(entry, options = {}) {
  return defineConfig({
    entry,
    unbundle: options.unbundle ?? false,
    format: "esm",
    target: "node20.18",
    platform: options.platform ?? "neutral",
    outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
    // Declarations are read from the dependencies' `dist`, never from what an earlier `tsc -b` may have left beside it:
    // with project references, a fresh clone got other names in its declarations than a used one.
    // They leave out whatever bears `@internal`, such as the constructor of an object that only the package makes.
    dts: options.isSecond
      ? false
      : { tsconfigRaw: { references: [] }, compilerOptions: { stripInternal: true } },
    sourcemap: false,
    clean: !options.isSecond,
    plugins: [
      ...(options.isPure ? [pureInitializers()] : []),
      ...(options.replacedFiles ? [replaceFiles(options.replacedFiles)] : []),
    ],
    ...(options.bundled ? withLibrary(options.bundled) : { deps: { skipNodeModulesBundle: true } }),
  });
}

/** Keeps a library's code in a file that tells by its name where it comes from. @param {string} library */
function withLibrary(library) {
  const isOfLibrary = new RegExp(`/node_modules/${library}/`);
  return {
    deps: { alwaysBundle: [library], onlyBundle: [library] },
    outputOptions: { codeSplitting: { groups: [{ name: library, test: isOfLibrary }] } },
  };
}

/** @param {Record<string, string>} files */
function replaceFiles(files) {
  return {
    name: "replace-files",
    /** @param {string} id */
    load(id) {
      const replacement = files[id];
      return replacement === undefined ? undefined : readFileSync(replacement, "utf8");
    },
  };
}
