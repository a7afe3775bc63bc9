// Hooks of Node's module loader; `load-sources.mjs` registers them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { noteEntries } from "./note-entries.mjs";
import { relativePath } from "./relative-path.mjs";

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, next) {
  const isSource = specifier.startsWith(".") && specifier.endsWith(".js") && isTypeScript(context.parentURL);
  return next(isSource ? `${specifier.slice(0, -".js".length)}.ts` : specifier, context);
}

/** @type {import("node:module").LoadHook} */
export function load(url, context, next) {
  if (!isTypeScript(url)) return next(url, context);
  const path = fileURLToPath(url);
  const source = noteEntries(readFileSync(path, "utf8"), relativePath(path));
  return { format: "module", source, shortCircuit: true };
}

/** @param {string | undefined} url */
function isTypeScript(url) {
  return url?.startsWith("file:") === true && url.endsWith(".ts");
}
