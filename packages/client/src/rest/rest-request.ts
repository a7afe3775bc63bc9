import {
  ApiStatusError,
  type Clock,
  type Logger,
  type TransportResponse,
  UnsupportedByServerError,
} from "@tinkex/base";
import {
  type ApiGeneration,
  ENDPOINTS,
  type EndpointName,
  type PathParametersOf,
  type RequestOf,
  type ResponseOf,
} from "@tinkex/types";
import type { ApiFuture } from "../future/api-future.js";
import type { OperationContext } from "../future/operation-context.js";
import type { CallOptions } from "../inputs/call-options.js";
import { answerTest, type PostOptions } from "../session/api-calls.js";
import type { CheckpointLives } from "../session/checkpoint-lives.js";
import type { RestContext, RestServer } from "./rest-context.js";

/** Parts of one request besides its record. */
export type AskOptions<Name extends EndpointName> = Pick<
  PostOptions,
  "query" | "headers" | "returnStatuses"
> &
  (unknown extends PathParametersOf<Name>
    ? { readonly path?: undefined }
    : { readonly path: PathParametersOf<Name> });

/** A REST method under way: asks endpoints on its behalf, and ends with it. */
export class RestRequest {
  /** The method as its caller spells it, for messages. */
  readonly method: string;
  readonly generation: ApiGeneration;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly checkpointLives: CheckpointLives;
  readonly #server: RestServer;
  readonly #operation: OperationContext;

  constructor(server: RestServer, operation: OperationContext, context: RestContext) {
    this.method = operation.name;
    this.generation = server.generation;
    this.clock = context.clock;
    this.logger = context.logger;
    this.checkpointLives = context.checkpointLives;
    this.signal = operation.signal;
    this.#server = server;
    this.#operation = operation;
  }

  /**
   * Calls an endpoint, and reads its answer.
   *
   * @throws UnsupportedByServerError when the server has no such endpoint; what the transport throws; ResponseError
   */
  async ask<Name extends EndpointName>(
    name: Name,
    record: RequestOf<Name>,
    options: AskOptions<Name>,
  ): Promise<ResponseOf<Name>> {
    const body = record === undefined ? undefined : this.#server.calls.encode(name, record);
    return this.decode(name, (await this.send(name, options, body)).body);
  }

  /** Sends a request, and gives the answer as it came. @throws as {@link ask} */
  async send<Name extends EndpointName>(
    name: Name,
    options: AskOptions<Name>,
    body?: Uint8Array,
  ): Promise<TransportResponse> {
    const { onBehalfOf, signal } = this.#operation;
    // Of a name that is not fixed the compiler does not see that the parts of a path are strings.
    const path = options.path as Readonly<Record<string, string>> | undefined;
    // Requests that only read may be given up at any time.
    if (ENDPOINTS[name].method !== "GET") this.#operation.sending();
    try {
      const isReadable = answerTest(name);
      return await this.#server.calls.post(name, body, { ...options, path, onBehalfOf, signal, isReadable });
    } catch (error) {
      throw isMissingEndpoint(error) ? this.unsupported(name, error) : error;
    }
  }

  /** Reads the answer of an endpoint. @throws ResponseError */
  decode<Name extends EndpointName>(name: Name, body: Uint8Array): ResponseOf<Name> {
    return this.#server.calls.decode(name, body);
  }

  /** Makes the error for something that the server lacks. */
  unsupported(name: EndpointName, cause?: unknown, what = ""): UnsupportedByServerError {
    const { method, path } = ENDPOINTS[name];
    return new UnsupportedByServerError(
      `${this.method}: the server has no ${method} ${path} (${name})${what}`,
      {
        feature: name,
        cause,
      },
    );
  }
}

/** Runs a method behind a future, once the server is known. */
export function startRest<T>(
  context: RestContext,
  method: string,
  options: CallOptions,
  work: (request: RestRequest) => Promise<T>,
): ApiFuture<T> {
  return context.lifecycle.start(method, options, async (operation) =>
    work(new RestRequest(await context.server(), operation, context)),
  );
}

/** Tells the answer of a server's router, which knows no such path, from that of an endpoint that has not found a thing. */
function isMissingEndpoint(error: unknown): boolean {
  if (!(error instanceof ApiStatusError)) return false;
  const { status, body } = error;
  if (status === 405 || status === 501) return true;
  if (status !== 404) return false;
  const detail: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "detail") : undefined;
  return detail === "Not Found" || (typeof detail === "string" && detail.startsWith("this server has no "));
}
