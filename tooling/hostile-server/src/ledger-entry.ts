/** Header by which a request says which call it belongs to. */
export const CALL_HEADER = "x-hostile-call";

/** What a server knows of one call: all requests that carried its number. */
export interface LedgerEntry {
  /** Value of {@link CALL_HEADER}. */
  readonly call: string;
  readonly method: string;
  readonly path: string;
  /** Idempotency keys its requests came with; one without a key counts as an empty one. */
  readonly keys: readonly string[];
  /** Places of its requests among all that arrived, from 0. */
  readonly arrivals: readonly number[];
  /** How often the work was done; a repeat under a key that is known is answered from memory. */
  readonly executions: number;
}
