import type { PoolName } from "./pool-limits.js";
import type { TryTimeouts } from "./try-timeouts.js";

/** One request as it goes out. */
export interface WireRequest {
  readonly pool: PoolName;
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path with its query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly timeouts: TryTimeouts;
}
