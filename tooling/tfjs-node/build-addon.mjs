import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { runQuietly } from "./run-quietly.mjs";

const NODE_GYP = "node-gyp@11.5.0";
const BUILD_LIMIT_MS = 240_000;
/** The version of Node-API that the addon is made for; it runs on every Node that has it, from 12.19 on. */
const NAPI = "8";

/**
 * Compiles the addon from the sources that the package ships, against the C library; a copy in `cache` is used when there is one.
 *
 * @param {string} packageFolder that of an installed `@tensorflow/tfjs-node`
 * @param {{ readonly library: string, readonly cache: string, readonly version: string }} from
 */
export function buildAddon(packageFolder, { library, cache, version }) {
  linkLibrary(packageFolder, library);
  const built = join(packageFolder, "lib", `napi-v${NAPI}`);
  const kept = join(cache, `addon-${version}`);
  if (!existsSync(kept)) {
    compile(packageFolder, built);
    keep(built, kept);
  }
  cpSync(kept, built, { recursive: true });
}

/** Copied under another name and then renamed, so that half a copy is not taken for the addon. @param {string} built @param {string} kept */
function keep(built, kept) {
  const draft = mkdtempSync(`${kept}-`);
  try {
    cpSync(built, draft, { recursive: true });
    renameSync(draft, kept);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Puts the library where the addon's build file and the addon look for it. @param {string} packageFolder @param {string} library */
function linkLibrary(packageFolder, library) {
  const deps = join(packageFolder, "deps");
  rmSync(deps, { recursive: true, force: true });
  mkdirSync(join(deps, "lib"), { recursive: true });
  symlinkSync(join(library, "include"), join(deps, "include"));
  // The names without a number are for the linker, the others for the running addon.
  for (const name of ["libtensorflow_cc", "libtensorflow_framework"]) {
    const file = join(library, `${name}.so.2`);
    symlinkSync(file, join(deps, "lib", `${name}.so.2`));
    symlinkSync(file, join(deps, "lib", `${name.replace("_cc", "")}.so`));
  }
}

/** @param {string} packageFolder @param {string} built the folder for the addon */
function compile(packageFolder, built) {
  const options = [
    "--module_name=tfjs_binding",
    `--module_path=${built}`,
    `--napi_version=${NAPI}`,
    `--napi_build_version=${NAPI}`,
    ...headersOfThisNode(),
  ];
  const gyp = ["exec", "--yes", `--package=${NODE_GYP}`, "--", "node-gyp", "rebuild", ...options];
  try {
    runQuietly("npm", gyp, { cwd: packageFolder, limitMs: BUILD_LIMIT_MS });
  } finally {
    rmSync(join(packageFolder, "build"), { recursive: true, force: true });
  }
}

/** The headers that lie beside this Node; where there are none, node-gyp downloads them. @returns {string[]} */
function headersOfThisNode() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  return existsSync(join(prefix, "include", "node", "node_api.h")) ? [`--nodedir=${prefix}`] : [];
}
