/** The part of Node's `process` in use; a browser has none. */
interface NodeProcess {
  getBuiltinModule?(name: string): object | undefined;
}

/**
 * Gives a module of Node, or undefined elsewhere. `process` is asked for it rather than the module imported, so that bundles for browsers
 * meet no import of Node.
 */
export function builtinModule(name: `node:${string}`): object | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  return process?.getBuiltinModule?.(name);
}
