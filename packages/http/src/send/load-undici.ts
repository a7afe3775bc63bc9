export type Undici = typeof import("undici");

/** The part of undici that carries requests. */
export type UndiciParts = Pick<Undici, "Client" | "buildConnector" | "errors">;

let loading: Promise<Undici | undefined> | undefined;
let loadingParts: Promise<UndiciParts | undefined> | undefined;

/**
 * Loads all of undici. `undefined` where there is none whose connections could be used: Bun has a stand-in without them
 * (oven-sh/bun#39247), and a worker may have nothing.
 */
export function loadUndici(): Promise<Undici | undefined> {
  loading ??= import("undici").then(
    (undici) => (typeof undici.Client?.prototype?.dispatch === "function" ? undici : undefined),
    () => undefined,
  );
  return loading;
}

/**
 * Loads what requests need of undici, at the first one of the process: a third of the time that all of it takes, and 9 MB less
 * (docs/decisions/059). A version that has its files elsewhere is loaded whole.
 */
export function loadUndiciParts(): Promise<UndiciParts | undefined> {
  // Bun would run the real undici over its own sockets, in place of its stand-in.
  loadingParts ??= process.versions?.bun !== undefined ? loadUndici() : importParts().catch(loadUndici);
  return loadingParts;
}

async function importParts(): Promise<UndiciParts> {
  const [client, connect, { default: errors }] = await Promise.all([
    import("undici/lib/dispatcher/client.js"),
    import("undici/lib/core/connect.js"),
    import("undici/lib/core/errors.js"),
  ]);
  const parts = { Client: client.default, buildConnector: connect.default, errors };
  if (typeof parts.Client.prototype.dispatch !== "function") throw new TypeError("another undici");
  return parts;
}
