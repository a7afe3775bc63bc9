import type { EndpointName, OperationName } from "@tinkex/types";
import type { Fault } from "./fault.js";

/** A request as the server saw it. Headers are not kept, so that no key stands in it. */
export interface LoggedRequest {
  /** Position in the order of arrival, from 1. */
  readonly number: number;
  /** Row of the table of endpoints; absent for other addresses. */
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  /** Address without its query. */
  readonly path: string;
  readonly sessionId: string | undefined;
  /** Model under training, which is also the id of its training run. */
  readonly modelId: string | undefined;
  readonly samplerId: string | undefined;
  readonly sequenceId: number | undefined;
  /** Future that a poll asks for, or that the answer to an operation names. */
  readonly requestId: string | undefined;
  /** For polls: the operation whose result is asked for. */
  readonly operation: OperationName | undefined;
  /** Record of a protobuf body, parsed JSON otherwise; absent where there is none, or where it cannot be read. */
  readonly body: unknown;
  /** Status of the answer; absent while there is none, and where the connection ended without one. */
  readonly status: number | undefined;
  /** Readings of the server's clock, in milliseconds since 1970. */
  readonly receivedAtMs: number;
  readonly answeredAtMs: number | undefined;
  /** Fault that met it. */
  readonly fault: Fault | undefined;
}

/** A request whose answer is not there yet. */
export type OpenRequest = { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] };

/** Most requests that are kept: the oldest go first. */
const MAX_REQUESTS = 10_000;

/** Requests in the order of their arrival. */
export class RequestLog {
  readonly #requests: OpenRequest[] = [];
  #received = 0;

  get requests(): readonly LoggedRequest[] {
    return [...this.#requests];
  }

  add(request: Omit<LoggedRequest, "number">): OpenRequest {
    this.#received += 1;
    const logged: OpenRequest = { ...request, number: this.#received };
    this.#requests.push(logged);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
    return logged;
  }
}
