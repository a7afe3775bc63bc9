import { TinkexError } from "@tinkex/base";

/** A request's body that comes in pieces and is never in memory as a whole. */
export interface StreamedBody {
  readonly contentType: string;
  /** All bytes that {@link open} gives. */
  readonly byteLength: number;
  /** Says that it cannot be opened once more, so that a request that carried it is not sent again. */
  readonly isSpent: boolean;
  /** The pieces, from the first one on. */
  open(): AsyncIterable<Uint8Array>;
}

/** Body of a request. */
export type RequestBody = Uint8Array | StreamedBody;

/** The source of a body failed, or did not give what was promised of it. Never repeated: the network has no part in it. */
export class RequestBodyError extends TinkexError {
  static override readonly name: string = "RequestBodyError";

  constructor(message: string, cause?: unknown) {
    super(message, { code: "validation_failed", cause });
  }
}

/** Tells whether a value can be a body at all, such as a string cannot. */
export function isRequestBody(value: unknown): value is RequestBody {
  if (value instanceof Uint8Array) return true;
  return typeof value === "object" && value !== null && "open" in value && typeof value.open === "function";
}

/** Tells whether a body is streamed. */
export function isStreamed(body: RequestBody | undefined): body is StreamedBody {
  return body !== undefined && !(body instanceof Uint8Array);
}

/** Tells whether a request with this body can be sent from its beginning. */
export function canSend(body: RequestBody | undefined): boolean {
  return !isStreamed(body) || !body.isSpent;
}

/**
 * Reads the pieces of a body; it is opened with the first one, so that a request that finds no connection leaves it whole.
 *
 * @throws RequestBodyError when the source fails
 */
export async function* readStreamed(body: StreamedBody): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body.open();
  } catch (error) {
    if (error instanceof RequestBodyError) throw error;
    throw new RequestBodyError("the source of the request's body failed", error);
  }
}
