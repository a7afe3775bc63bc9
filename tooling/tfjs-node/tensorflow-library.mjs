import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runQuietly } from "./run-quietly.mjs";

/** A TensorFlow whose C library has all that tfjs-node 4.22 calls. */
const TENSORFLOW_VERSION = "2.15.1";
/** Any Python whose wheels of that version exist: only the C library in it is used. */
const WHEEL = ["--python-version", "3.11", "--platform", "manylinux2014_x86_64"];
const DOWNLOAD_LIMIT_MS = 240_000;
const EXTRACT_LIMIT_MS = 120_000;

/**
 * The folder with `libtensorflow_cc.so.2`, `libtensorflow_framework.so.2` and `include`, from the `tensorflow-cpu` wheel;
 * downloaded (about 210 MB) unless `cache` has it.
 *
 * @param {string} cache
 * @returns {string}
 */
export function tensorflowLibrary(cache) {
  const folder = join(cache, `tensorflow-${TENSORFLOW_VERSION}`, "tensorflow");
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // Filled under another name and then renamed, so that what an interrupted run leaves is not taken for the library.
  const draft = mkdtempSync(join(cache, "download-"));
  try {
    const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", ...WHEEL];
    const requirement = `tensorflow-cpu==${TENSORFLOW_VERSION}`;
    runQuietly("python3", [...pip, "--dest", draft, requirement], { limitMs: DOWNLOAD_LIMIT_MS });
    const [wheel = ""] = readdirSync(draft);
    const extract = [join(import.meta.dirname, "extract_library.py"), join(draft, wheel), draft];
    runQuietly("python3", extract, { limitMs: EXTRACT_LIMIT_MS });
    mkdirSync(join(folder, ".."), { recursive: true });
    renameSync(join(draft, "tensorflow"), folder);
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
