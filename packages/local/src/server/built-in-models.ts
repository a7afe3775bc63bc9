import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TinkexError } from "@tinkex/base";
import type { ServedModel } from "./local-server-options.js";

/** Directory of the models in the package, seen from this file in `src/server` and from the bundle in `dist`. */
const MODEL_FOLDERS = ["../../models", "../models"];

/**
 * The models that come with the package: each folder of `models/`, under the name `tinkex/<folder>`. The first is the default one,
 * the last, whose tokens and context fit the layouts of large models, stands in for others.
 *
 * @throws TinkexError when the package holds none
 */
export async function builtInModels(): Promise<ServedModel[]> {
  // Joined as paths: bundlers read `new URL(…, import.meta.url)` as a file to take along, and fail on one of two.
  const here = dirname(fileURLToPath(import.meta.url));
  for (const folder of MODEL_FOLDERS) {
    const path = join(here, folder);
    if (!existsSync(path)) continue;
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    if (names.length > 0) {
      return names.sort().map((name) => ({ name: `tinkex/${name}`, directory: join(path, name) }));
    }
  }
  throw new TinkexError(
    "the built-in model is not beside the code of @tinkex/local; where a bundler took the code in, mark the package external (`serverExternalPackages` in Next.js), else install it again, or pass models",
    {
      code: "missing_dependency",
    },
  );
}
