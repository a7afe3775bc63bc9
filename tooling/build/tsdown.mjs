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
    dts: true,
    sourcemap: false,
    clean: true,
    plugins: options.isPure ? [pureInitializers()] : [],
    deps: { skipNodeModulesBundle: true },
  });
}
