import type { HeaderList } from "./header-list.js";
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
  readonly headers: HeaderList;
  readonly body: Uint8Array | undefined;
  readonly timeouts: TryTimeouts;
}
