import type { Logger, TransportResponse } from "@tinkex/base";
import type { WireChoice } from "../service/service-client-options.js";

/** How the body of a training request is written. */
export type Encoding = "protobuf" | "json";

/** Statuses by which a server says that it does not understand an encoding; they are read before they count as errors. */
export const ENCODING_STATUSES: readonly number[] = [404, 415, 500];

/**
 * Which encoding a session's training requests use. While it is open (`auto`), the preferred one is tried first, and a server
 * that does not understand it gets the same request once more in the other; what worked is remembered.
 */
export class EncodingChoice {
  readonly #logger: Logger;
  #current: Encoding;
  #decided: boolean;

  constructor(wire: WireChoice, preferred: Encoding, logger: Logger) {
    this.#current = wire === "auto" ? preferred : wire;
    this.#decided = wire !== "auto";
    this.#logger = logger;
  }

  get current(): Encoding {
    return this.#current;
  }

  /**
   * Sends one request. `send` is told the encoding, and the error statuses it must return instead of throwing.
   *
   * @throws what `send` throws; where both encodings were refused, the error of the second
   */
  async send(
    send: (encoding: Encoding, returnStatuses: readonly number[]) => Promise<TransportResponse>,
  ): Promise<TransportResponse> {
    if (this.#decided) return send(this.#current, []);
    const first = this.#current;
    const response = await send(first, ENCODING_STATUSES);
    if (response.status < 300) {
      this.#decided = true;
      return response;
    }
    // A failure the API itself explains says nothing of the encoding: the transport's own rules apply to it.
    if (response.status === 500 && isApiError(response)) return send(first, []);
    const second = first === "protobuf" ? "json" : "protobuf";
    const answer = await send(second, []);
    this.#decided = true;
    this.#current = second;
    this.#logger.debug(
      `the server answered ${response.status} to ${first}; the session goes on with ${second}`,
    );
    return answer;
  }
}

/** Whether an error answer has the API's form, `{"detail": …}`. */
function isApiError({ body }: TransportResponse): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null && "detail" in value;
  } catch {
    return false;
  }
}
