import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TinkexError } from "@tinkex/base";
import type { ServedModel } from "./local-server-options.js";

/** Where the package keeps its models, seen from this file in `src/server` and from the bundle in `dist`. */
const MODEL_FOLDERS = ["../../models/", "../models/"];

/**
 * The models that come with the package: each folder of `models/`, under the name `tinkex/<folder>`.
 *
 * @throws TinkexError when the package holds none
 */
export async function builtInModels(): Promise<ServedModel[]> {
  for (const folder of MODEL_FOLDERS) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    if (!existsSync(path)) continue;
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    if (names.length > 0) {
      return names.sort().map((name) => ({ name: `tinkex/${name}`, directory: join(path, name) }));
    }
  }
  throw new TinkexError(
    "The built-in model is not in the installed package; install @tinkex/local again, or pass models.",
    {
      code: "missing_dependency",
    },
  );
}
