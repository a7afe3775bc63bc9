import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "./find-chromium.mjs";
import { openProgramPage, type ProgramPage } from "./program-page.js";
import { run } from "./programs/engine.js";
import type { ServedFile } from "./serve-files.js";

const chromium = findChromium(process.env);
if ("missing" in chromium) console.warn(`skipped: the engine in a browser: ${chromium.missing}`);

const MODEL = fileURLToPath(new URL("../../packages/local/models/pocket-1/", import.meta.url));
const RUNTIME = dirname(fileURLToPath(import.meta.resolve("onnxruntime-web/wasm")));

function served(
  folder: string,
  path: string,
  names: Readonly<Record<string, string>>,
): [string, ServedFile][] {
  return Object.entries(names).map(([name, contentType]) => [
    path + name,
    { contentType, body: readFileSync(join(folder, name)) },
  ]);
}

const FILES = new Map([
  ...served(MODEL, "/model/", {
    "config.json": "application/json",
    "generation_config.json": "application/json",
    "tokenizer.json": "application/json",
    "tokenizer_config.json": "application/json",
    "model.safetensors": "application/octet-stream",
  }),
  ...served(RUNTIME, "/runtime/", {
    "ort-wasm-simd-threaded.mjs": "text/javascript",
    "ort-wasm-simd-threaded.wasm": "application/wasm",
  }),
]);

/** Two runtimes are loaded and four graphs compiled, which takes some seconds, and far more where all cores are busy. */
const MAX_WAIT_MS = 240_000;

/** A token of the built-in model is a byte. */
const rows = ["Pig Latin: planet -> anetplay", "Pig Latin: agony -> agonyway"].map((text) => {
  const ids = [...Buffer.from(text)];
  return { tokens: ids.slice(0, -1), targets: ids.slice(1) };
});
const work = { rows, steps: 2, prompt: "Pig Latin: planet ->" };

describe.skipIf("missing" in chromium)("@tinkex/local/engine in headless Chromium", () => {
  let page: ProgramPage;

  beforeAll(async () => {
    if ("missing" in chromium) return;
    page = await openProgramPage(chromium.path, FILES, ["engine"]);
  });
  afterAll(() => page?.[Symbol.asyncDispose]());

  it("trains and samples as it does in Node's WebAssembly, with threads", {
    timeout: MAX_WAIT_MS,
  }, async () => {
    const options = { runtime: "auto", threads: 2 } as const;
    const inBrowser = await page.run("engine", {
      ...work,
      modelUrl: "model/",
      options: { ...options, runtimeFolder: `${page.origin}/runtime/` },
    });
    const inNode = await run({ ...work, modelUrl: `${page.origin}/model/`, options });
    console.log(`losses ${inBrowser.losses.join(" ")} in Chromium, ${inNode.losses.join(" ")} in Node`);
    expect(inBrowser.runtime).toMatchObject({ name: "wasm", threads: 2 });
    expect(inBrowser.losses).toHaveLength(2);
    expect(inBrowser.losses[1]).toBeLessThan(inBrowser.losses[0] ?? 0);
    for (const field of ["losses", "norms", "logprobs"] as const) {
      expect(inBrowser[field]).toHaveLength(inNode[field].length);
      inNode[field].forEach((value, index) => {
        expect(Math.abs((inBrowser[field][index] ?? Number.NaN) - value)).toBeLessThan(
          1e-5 * Math.max(1, Math.abs(value)),
        );
      });
    }
    expect(inBrowser.tokens?.length).toBeGreaterThan(0);
    expect(inBrowser.tokens).toEqual(inNode.tokens);
  });

  it("throws, logs and fetches nothing beside that", () => {
    const { errors, requests } = page.browser;
    expect(errors).toEqual([]);
    expect(requests.some((url) => url.endsWith(".wasm"))).toBe(true);
    expect(requests.filter((url) => new URL(url).origin !== page.origin)).toEqual([]);
  });
});
