import { cp, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = import.meta.dirname;

/** The builds of ONNX Runtime that the engine loads: WebAssembly alone, and with WebGPU. */
const RUNTIME_FILES = ["ort-wasm-simd-threaded", "ort-wasm-simd-threaded.asyncify"].flatMap((name) => [
  `${name}.mjs`,
  `${name}.wasm`,
]);

const MODEL_FILES = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

/** @type {(from: string, to: string) => readonly [from: string, to: string]} */
const pair = (from, to) => [from, to];

/**
 * Puts all that the page needs into a folder: its code, the runtime, the built-in model and the words.
 *
 * @param {string} folder
 * @returns {Promise<import("esbuild").Metafile>} what went into the code
 */
export async function buildSite(folder) {
  const runtime = dirname(fileURLToPath(import.meta.resolve("onnxruntime-web/wasm")));
  const local = dirname(createRequire(import.meta.url).resolve("@tinkex/local/package.json"));
  const copies = [
    ...["page.html", "page.css"].map((name) => pair(join(HERE, "src", name), name)),
    ...RUNTIME_FILES.map((name) => pair(join(runtime, name), join("runtime", name))),
    ...MODEL_FILES.map((name) => pair(join(local, "models", "pocket-1", name), join("model", name))),
    pair(join(HERE, "..", "examples", "data"), "data"),
  ];
  await mkdir(folder, { recursive: true });
  for (const [from, to] of copies) await cp(from, join(folder, to), { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(HERE, "src", "page.ts"), join(HERE, "src", "training-worker.ts")],
    outdir: folder,
    bundle: true,
    // Runtimes that are not chosen stay files of their own, which are never fetched.
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    metafile: true,
    logLevel: "silent",
  });
  return metafile;
}
