import type { ClientIdentity } from "./client-identity.js";

/** Name of the tracing channel of the requests that one training pass is cut into. */
export const CHUNK_CHANNEL = "tinkex:chunk";

/** Message of the tracing channel {@link CHUNK_CHANNEL}: one object from the submission of a chunk to its result. */
export interface ChunkTrace {
  readonly service: ClientIdentity;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly operationId: number;
  /** Name of the endpoint: `forward` or `forward_backward`. */
  readonly endpoint: string;
  /** Estimated bytes of the chunk, by which the data was cut. */
  readonly byteLength: number;
  /** The service's id of the work, once it was accepted. */
  requestId: string | undefined;
  error?: unknown;
}
