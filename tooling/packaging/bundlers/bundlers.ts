/** A bundler that takes the SDK and its dependencies into one program for Node. */
export interface Bundler {
  readonly name: string;
  /** Packages of the registry that it needs. */
  readonly packages: readonly string[];
  /** Its settings, by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** Arguments of `npx` that write the bundle. */
  readonly build: readonly string[];
  /** The bundle. */
  readonly output: string;
}

// undici is CommonJS and calls `require`, which a bundle in ESM lacks unless it makes one.
const ESBUILD_BANNER =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

export const BUNDLERS: readonly Bundler[] = [
  {
    name: "esbuild",
    packages: ["esbuild@0.28"],
    files: {},
    build: [
      "esbuild",
      "main.js",
      "--bundle",
      "--platform=node",
      "--format=esm",
      "--target=node20",
      "--outfile=out/esbuild/main.mjs",
      `--banner:js=${ESBUILD_BANNER}`,
    ],
    output: "out/esbuild/main.mjs",
  },
  {
    name: "vite",
    packages: ["vite@8"],
    files: {
      "vite.config.mjs": `export default {
  build: { ssr: "main.js", outDir: "out/vite", target: "node20", rollupOptions: { output: { entryFileNames: "main.mjs" } } },
  ssr: { noExternal: true },
};
`,
    },
    build: ["vite", "build"],
    output: "out/vite/main.mjs",
  },
  {
    name: "webpack",
    packages: ["webpack@5", "webpack-cli@6"],
    files: {
      "webpack.config.mjs": `export default {
  mode: "production",
  target: "node20",
  entry: "./main.js",
  experiments: { outputModule: true },
  output: { path: import.meta.dirname + "/out/webpack", filename: "main.mjs", module: true, chunkFormat: "module" },
};
`,
    },
    build: ["webpack", "--fail-on-warnings"],
    output: "out/webpack/main.mjs",
  },
  {
    name: "rollup",
    packages: ["rollup@4", "@rollup/plugin-node-resolve@16", "@rollup/plugin-commonjs@29"],
    files: {
      // undici asks for node:sqlite in a `try`, as Node 20 has none; the plugin would lift that out of it.
      "rollup.config.mjs": `import commonjs from "@rollup/plugin-commonjs";
import resolve from "@rollup/plugin-node-resolve";
export default {
  input: "main.js",
  output: { dir: "out/rollup", format: "es", entryFileNames: "main.mjs" },
  plugins: [resolve({ exportConditions: ["node"], preferBuiltins: true }), commonjs({ ignore: ["node:sqlite"] })],
};
`,
    },
    build: ["rollup", "-c"],
    output: "out/rollup/main.mjs",
  },
];
