import type { RequestBody } from "../body/streamed-body.js";
import type { PoolName } from "../operations/pool-limits.js";
import type { TryTimeouts } from "../operations/try-timeouts.js";
import type { HeaderList } from "./header-list.js";

/** One request as it goes out. */
export interface WireRequest {
  readonly pool: PoolName;
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: RequestBody | undefined;
  readonly timeouts: TryTimeouts;
  /** Most bytes of a successful answer, packed and unpacked. */
  readonly maxAnswerBytes: number;
}
