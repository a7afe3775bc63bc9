import { defineConfig } from "tsdown";

/**
 * How every package is built: ESM and type declarations, down-levelled to the oldest Node the packages run on.
 * `entry` are source files, each of which becomes a file of the same name in `dist`.
 * @param {string[]} entry
 */
export function packageBuild(entry) {
  return defineConfig({
    entry,
    format: "esm",
    target: "node20.18",
    platform: "neutral",
    outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
    dts: true,
    sourcemap: false,
    clean: true,
    deps: { skipNodeModulesBundle: true },
  });
}
