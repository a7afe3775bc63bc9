import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { RunReader } from "@tinkex/runs";
import type { Recipe } from "./recipes.js";

const run = promisify(execFile);

const EVALUATE = fileURLToPath(new URL("evaluate.py", import.meta.url));

/** Longest that a recipe of two steps may take on a busy machine. */
const MAX_MS = 600_000;

/** Name of the model that most recipes have as their default; another one stands in for it. */
const BASE_MODEL = "Qwen/Qwen3.5-9B-Base";

export interface RecipePlace {
  readonly python: string;
  readonly url: string;
  /** Folder in which the data sets are found by their names, and where the recipes write. */
  readonly folder: string;
}

/** Metrics of a recipe, a record for each line that it logged. */
export type RecipeMetrics = readonly Readonly<Record<string, unknown>>[];

/** Runs a recipe as a program of its own, unmodified. @throws Error with the last words of one that fails */
export async function runRecipe(
  { module, settings }: Recipe,
  { python, url, folder }: RecipePlace,
): Promise<RecipeMetrics> {
  const logPath = join(await mkdtemp(join(folder, "log-")), "run");
  const args =
    module === undefined
      ? [EVALUATE, BASE_MODEL, logPath]
      : ["-m", `tinker_cookbook.recipes.${module}`, ...settings, `log_path=${logPath}`];
  const env = {
    PATH: process.env.PATH,
    // Packages that the mathematical recipes need besides, where they are not in the environment of the cookbook.
    PYTHONPATH: process.env.TINKEX_CONFORMANCE_PYTHONPATH,
    HOME: folder,
    HF_HOME: join(folder, "hub"),
    // Tokenizers come from the server, and nothing from elsewhere.
    HF_ENDPOINT: url,
    HF_HUB_DISABLE_TELEMETRY: "1",
    TINKER_BASE_URL: url,
    TINKER_API_KEY: "tml-local",
    TINKER_TELEMETRY: "0",
  };
  await run(python, args, { cwd: folder, env, timeout: MAX_MS, maxBuffer: 2 ** 28 }).catch(
    (error: Error & { stderr?: unknown }) => {
      throw new Error(`${error.message.slice(0, 200)}\n${String(error.stderr).slice(-3000)}`);
    },
  );
  return new RunReader(logPath).metrics();
}
