import type { ServiceClientOptions } from "./service-client-options.js";

/** Beginnings of the variables that a connection depends on, in upper case. */
const READ_VARIABLES = [
  "TINKER_",
  "CLOUDFLARE_ACCESS_",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "HOME",
  "USERPROFILE",
];

/**
 * Writes all that a connection is made of, so that those of equal keys are alike: settings by their values, and things such as a
 * logger by themselves. `undefined` for options that have no such form. Holds the key: never shown.
 */
export function connectionKey(options: Partial<ServiceClientOptions>): string | undefined {
  const { env = process.env, ...others } = options;
  const variables = Object.entries(env).filter(([name]) =>
    READ_VARIABLES.some((beginning) => name.toUpperCase().startsWith(beginning)),
  );
  try {
    return JSON.stringify([byName(others), byName(Object.fromEntries(variables))], (_, value: unknown) =>
      isData(value) ? value : `#${identityOf(value)}`,
    );
  } catch {
    return undefined;
  }
}

function byName(values: object): unknown {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Tells settings that are alike when they hold the same from things that are themselves alone, such as a logger. */
function isData(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "function" && typeof value !== "symbol";
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain && Object.values(value).every((each) => typeof each !== "function");
}

const IDENTITIES = new WeakMap<object, number>();
let identityCount = 0;

function identityOf(value: unknown): number {
  // Symbols are no keys of weak maps on every Node that we run on, and no option is one.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return -1;
  const known = IDENTITIES.get(value);
  if (known !== undefined) return known;
  identityCount += 1;
  IDENTITIES.set(value, identityCount);
  return identityCount;
}
