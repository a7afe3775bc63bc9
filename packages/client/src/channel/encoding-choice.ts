import { ApiStatusError, type Logger } from "@tinkex/base";
import type { Encoding, WireChoice } from "../session/server-generation.js";

/** One attempt to send a request. */
export interface EncodingAttempt {
  readonly encoding: Encoding;
  /** Error statuses that must not be retried in this encoding. */
  readonly finalStatuses?: readonly number[];
  /** The status by which the server refused the other encoding before. */
  readonly refusedStatus?: number;
}

/**
 * The encoding that a session's training requests use. While it is open (`auto`), the preferred one is tried first, and a server
 * that does not understand it gets the same request once more in the other; what worked is remembered.
 */
export class EncodingChoice {
  /** The first attempt to send the next request. */
  first: EncodingAttempt;
  readonly #logger: Logger;

  constructor(wire: WireChoice, preferred: Encoding, logger: Logger) {
    this.first = wire === "auto" ? { encoding: preferred, finalStatuses: [500] } : { encoding: wire };
    this.#logger = logger;
  }

  /** The encoding that the next request is tried in first. */
  get current(): Encoding {
    return this.first.encoding;
  }

  /** Notes that an attempt succeeded: the session goes on with its encoding. */
  accepted({ encoding, refusedStatus }: EncodingAttempt): void {
    if (refusedStatus !== undefined) {
      this.first = { encoding };
      this.#logger.debug(`the server answered ${refusedStatus} before; the session goes on with ${encoding}`);
    }
    if (this.first.finalStatuses !== undefined) this.first = { encoding: this.current };
  }

  /** Reads the failure of an attempt. Returns how the request is tried next; `undefined` when the failure stands. */
  nextAttempt(attempt: EncodingAttempt, error: unknown): EncodingAttempt | undefined {
    const { encoding, finalStatuses } = attempt;
    // Only the first attempt of an open choice has any.
    if (finalStatuses === undefined || !(error instanceof ApiStatusError)) return undefined;
    // A failure the API itself explains says nothing of the encoding: the transport's own rules apply to it.
    if (error.status === 500 && detailOf(error) !== undefined) return { encoding };
    if (!isAboutEncoding(error)) return undefined;
    return { encoding: encoding === "protobuf" ? "json" : "protobuf", refusedStatus: error.status };
  }
}

/** Tells whether a failure may say that the server does not understand an encoding. */
export function isAboutEncoding(error: unknown): boolean {
  if (!(error instanceof ApiStatusError)) return false;
  const { status } = error;
  if (status === 415) return true;
  const detail = detailOf(error);
  if (status === 500) return detail === undefined;
  // The words of a server that has no such endpoint; another detail is about what the request names.
  return status === 404 && (detail === undefined || detail === "Not Found");
}

/** The API's own word on an error, `{"detail": …}`. */
function detailOf({ body }: ApiStatusError): unknown {
  return typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
}
