export type Undici = typeof import("undici");

let loading: Promise<Undici | undefined> | undefined;

/**
 * Loads undici, at the first request of the process: importing it takes a tenth of a second. `undefined` where there is none
 * whose connections could be used: Bun has a stand-in without them (oven-sh/bun#39247), and a worker may have nothing.
 */
export function loadUndici(): Promise<Undici | undefined> {
  loading ??= import("undici").then(
    (undici) => (typeof undici.Client?.prototype?.dispatch === "function" ? undici : undefined),
    () => undefined,
  );
  return loading;
}
