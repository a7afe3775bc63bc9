/** What became of importing a package that may be missing. */
export type ImportOutcome<Module> =
  | { readonly module: Module }
  | { readonly missing: boolean; readonly problem: string; readonly cause: unknown };

/** The codes of Node's module loader, for `import` and `require`. */
const NOT_FOUND: readonly unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/** Waits for the import of the package `name`; a failure is an outcome that says whether the package is there at all. */
export async function importOutcome<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<ImportOutcome<Module>> {
  try {
    return { module: await load() };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const missing = isNotFound(cause) && message.includes(`'${name}'`);
    // The first line says what is wrong; tfjs-node goes on with advice of several.
    return { missing, problem: missing ? "it is not installed" : (message.split("\n")[0] ?? ""), cause };
  }
}

/** A missing package that the named one needs has the same code, and another name in its message. */
function isNotFound(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && NOT_FOUND.includes(cause.code);
}
