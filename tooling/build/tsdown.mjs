import { defineConfig } from "tsdown";
import { pureInitializers } from "./pure-initializers.mjs";

/**
 * How every package is built: ESM and type declarations, down-levelled to the oldest Node the packages run on.
 *
 * @param {string[]} entry source files, each of which becomes a file of the same name in `dist`
 * @param {{ unbundle?: boolean, platform?: "neutral" | "node", isPure?: boolean }} [options] `unbundle` keeps one output
 * file per source file; `platform` is `neutral` for what also runs in a browser; `isPure` lets bundlers drop unused constants
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
    dts: { tsconfigRaw: { references: [] } },
    sourcemap: false,
    clean: true,
    plugins: options.isPure ? [pureInitializers()] : [],
    deps: { skipNodeModulesBundle: true },
  });
}
