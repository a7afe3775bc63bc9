// Makes the installed `@tensorflow/tfjs-node` work, so that the tests of the tensor package run on it too. Prints one line and
// ends with 0 where it cannot: those tests are then skipped, and say so.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildAddon } from "./build-addon.mjs";
import { runQuietly } from "./run-quietly.mjs";
import { tensorflowLibrary } from "./tensorflow-library.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(ROOT, ".cache", "tfjs-node");
const OWN_INSTALL_LIMIT_MS = 240_000;
const LOAD_LIMIT_MS = 60_000;

/** @param {string} packageFolder */
function works(packageFolder) {
  try {
    // The addon and its library, without the JavaScript around them, which newer Nodes must be prepared for.
    const addon = join(packageFolder, "lib", "napi-v8", "tfjs_binding.node");
    runQuietly(process.execPath, ["-e", "require(process.argv[1])", addon], { limitMs: LOAD_LIMIT_MS });
    return true;
  } catch {
    return false;
  }
}

/** The ways to get the addon, in the order they are tried. @type {readonly ((packageFolder: string, version: string) => void)[]} */
const WAYS = [
  (packageFolder, version) => {
    if (process.platform !== "linux" || process.arch !== "x64")
      throw new Error("the wheel is for Linux on x64");
    buildAddon(packageFolder, { library: tensorflowLibrary(CACHE), cache: CACHE, version });
  },
  (packageFolder) => {
    runQuietly(process.execPath, [join("scripts", "install.js")], {
      cwd: packageFolder,
      limitMs: OWN_INSTALL_LIMIT_MS,
    });
  },
];

/** What is wrong, or undefined once the addon works. @returns {string | undefined} */
function install() {
  const manifest = createRequire(join(ROOT, "packages", "tensor", "package.json")).resolve(
    "@tensorflow/tfjs-node/package.json",
  );
  const packageFolder = dirname(manifest);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  if (works(packageFolder)) return undefined;
  const problems = [];
  for (const way of WAYS) {
    try {
      way(packageFolder, version);
      if (works(packageFolder)) return undefined;
      problems.push("the addon does not load");
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return problems.join("; ");
}

const problem = install();
if (problem !== undefined) {
  console.log(`tfjs-node could not be built, so its tests are skipped: ${problem}`);
}
