import type { EndpointName, OperationName } from "@tinkex/types";
import { weightOf } from "../json/weight-of.js";
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
  /**
   * Record of a protobuf body, parsed JSON otherwise; absent where there is none, where it cannot be read, and in the oldest requests
   * once all bodies together take some 256 MiB.
   */
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

/** Most requests that are kept, and most memory for their bodies: the oldest go first. */
const MAX_REQUESTS = 10_000;
const MAX_BODY_BYTES = 256 * 2 ** 20;

/** Requests in the order of their arrival. */
export class RequestLog {
  readonly #requests: OpenRequest[] = [];
  readonly #maxRequests: number;
  readonly #maxBodyBytes: number;
  /** Requests whose bodies are kept, oldest first, with the memory that these take. */
  readonly #bodies = new Map<OpenRequest, number>();
  #bodyBytes = 0;
  #received = 0;

  constructor({ maxRequests = MAX_REQUESTS, maxBodyBytes = MAX_BODY_BYTES } = {}) {
    this.#maxRequests = maxRequests;
    this.#maxBodyBytes = maxBodyBytes;
  }

  get requests(): readonly LoggedRequest[] {
    return [...this.#requests];
  }

  add(request: Omit<LoggedRequest, "number">): OpenRequest {
    this.#received += 1;
    const logged: OpenRequest = { ...request, number: this.#received };
    this.#requests.push(logged);
    const oldest = this.#requests.length > this.#maxRequests ? this.#requests.shift() : undefined;
    if (oldest !== undefined) this.#dropBody(oldest);
    return logged;
  }

  /** Notes the body of a request, and lets go of the oldest ones where all of them take too much memory. */
  keepBody(request: OpenRequest, body: unknown): void {
    const bytes = weightOf(body);
    if (bytes > this.#maxBodyBytes) return;
    request.body = body;
    this.#bodies.set(request, bytes);
    this.#bodyBytes += bytes;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bodyBytes <= this.#maxBodyBytes) break;
      this.#dropBody(oldest);
    }
  }

  #dropBody(request: OpenRequest): void {
    this.#bodyBytes -= this.#bodies.get(request) ?? 0;
    this.#bodies.delete(request);
    request.body = undefined;
  }
}
