import { describeValue, ValidationError } from "@tinkex/base";
import type { RuntimeName } from "./runtime.js";

export interface RuntimeOptions {
  /** Default `"auto"`: native where it loads, else wasm. */
  readonly runtime?: RuntimeName | "auto" | undefined;
  /** Threads for the arithmetic. Default: one for each core. */
  readonly threads?: number | undefined;
}

const RUNTIMES = ["auto", "native", "wasm"] as const satisfies readonly NonNullable<
  RuntimeOptions["runtime"]
>[];

/**
 * Checks the choice of a runtime, before it goes to a thread of its own: some values cannot even be sent there.
 *
 * @param names - that may be chosen. Default: those of Node
 * @throws ValidationError when `threads` is not a positive whole number, or there is no runtime of that name
 */
export function checkRuntimeOptions(
  { runtime, threads }: { readonly runtime?: string | undefined; readonly threads?: number | undefined },
  names: readonly string[] = RUNTIMES,
): void {
  if (runtime !== undefined && !names.includes(runtime)) {
    throw new ValidationError(`runtime must be one of ${names.join(", ")}, got ${describeValue(runtime)}`, {
      path: ["runtime"],
    });
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1)) {
    throw new ValidationError(
      `threads must be a positive whole number, got ${describeValue(threads)}; leave it out for one per core`,
      { path: ["threads"] },
    );
  }
}
