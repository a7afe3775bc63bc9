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
 * @throws ValidationError when `threads` is not a positive whole number, or there is no runtime of that name
 */
export function checkRuntimeOptions({ runtime, threads }: RuntimeOptions): void {
  if (runtime !== undefined && !RUNTIMES.includes(runtime)) {
    throw new ValidationError(
      `runtime must be one of ${RUNTIMES.join(", ")}, got ${describeValue(runtime)}`,
      {
        path: ["runtime"],
      },
    );
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1)) {
    throw new ValidationError(
      `threads must be a positive whole number, got ${describeValue(threads)}; leave it out for one per core`,
      { path: ["threads"] },
    );
  }
}
