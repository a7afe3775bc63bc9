/** The codes of Node's module loader, for `import` and `require`. */
const NOT_FOUND = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/**
 * Tells whether an import failed because the package of that name is not installed, rather than because it is broken or lacks
 * a package that it needs itself. Node says which package only in the message.
 */
export function isPackageMissing(name: string, cause: unknown): boolean {
  if (!(cause instanceof Error && "code" in cause && NOT_FOUND.includes(String(cause.code)))) return false;
  return ["package", "module"].some((kind) => cause.message.startsWith(`Cannot find ${kind} '${name}'`));
}
