import type { Logger, TransportResponse } from "@tinkex/base";
import type { Encoding, WireChoice } from "../session/server-generation.js";

/** Statuses by which a server says that it does not understand an encoding; they are read before they count as errors. */
const ENCODING_STATUSES: readonly number[] = [404, 415, 500];

/** One attempt to send a request. */
export interface EncodingAttempt {
  readonly encoding: Encoding;
  /** Error statuses that must be returned instead of thrown. */
  readonly returnStatuses: readonly number[];
  /** The status by which the server refused the other encoding before. */
  readonly refusedStatus?: number;
}

/**
 * The encoding that a session's training requests use. While it is open (`auto`), the preferred one is tried first, and a server
 * that does not understand it gets the same request once more in the other; what worked is remembered.
 */
export class EncodingChoice {
  /** The encoding that the next request is tried in first. */
  current: Encoding;
  readonly #logger: Logger;
  #isDecided: boolean;

  constructor(wire: WireChoice, preferred: Encoding, logger: Logger) {
    this.current = wire === "auto" ? preferred : wire;
    this.#isDecided = wire !== "auto";
    this.#logger = logger;
  }

  /** Gives the first attempt to send a request. */
  firstAttempt(): EncodingAttempt {
    return { encoding: this.current, returnStatuses: this.#isDecided ? [] : ENCODING_STATUSES };
  }

  /** Reads the answer to an attempt. Returns how the request is tried next; `undefined` when the answer stands. */
  nextAttempt(attempt: EncodingAttempt, response: TransportResponse): EncodingAttempt | undefined {
    const { encoding, refusedStatus } = attempt;
    if (response.status < 300) {
      if (refusedStatus !== undefined) {
        this.current = encoding;
        this.#logger.debug(
          `the server answered ${refusedStatus} before; the session goes on with ${encoding}`,
        );
      }
      if (refusedStatus !== undefined || attempt.returnStatuses.length > 0) this.#isDecided = true;
      return undefined;
    }
    // A failure the API itself explains says nothing of the encoding: the transport's own rules apply to it.
    if (response.status === 500 && isApiError(response)) return { encoding, returnStatuses: [] };
    return {
      encoding: encoding === "protobuf" ? "json" : "protobuf",
      returnStatuses: [],
      refusedStatus: response.status,
    };
  }
}

/** Tells whether an error answer has the API's form, `{"detail": …}`. */
function isApiError({ body }: TransportResponse): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null && "detail" in value;
  } catch {
    return false;
  }
}
