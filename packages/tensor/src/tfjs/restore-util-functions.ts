import { builtinModule } from "./builtin-module.js";

/** Functions of `node:util` that Node 23 removed, and that tfjs-node 4.22 calls. */
const REMOVED: Readonly<Record<string, (value: unknown) => boolean>> = {
  isArray: Array.isArray,
  isNullOrUndefined: (value) => value === null || value === undefined,
};

/**
 * Puts back what tfjs-node calls and newer Nodes no longer have: without it each of its operations ends in `is not a function`.
 * What is there is left alone; outside of Node there is nothing to do.
 *
 * @param util - the module that `require("util")` gives. @defaultValue that of the running Node
 */
export function restoreUtilFunctions(util: object | undefined = builtinModule("node:util")): void {
  if (util === undefined) return;
  for (const [name, value] of Object.entries(REMOVED)) {
    // Not enumerable: the module looks as it did to anybody who lists it.
    if (!(name in util)) Object.defineProperty(util, name, { value, configurable: true, writable: true });
  }
}
