import { randomUUID } from "node:crypto";
import {
  type HttpTransport,
  type TransportCall,
  type TransportResponse,
  UNKNOWN_FIELD,
  ValidationError,
} from "@tinkex/base";
import {
  type ApiGeneration,
  ENDPOINTS,
  type EndpointName,
  type PathParametersOf,
  type RequestOf,
  type ResponseOf,
} from "@tinkex/types";
import {
  decodeResponse,
  type EndpointWithAnswer,
  encodeJsonRequest,
  type RequestEncoding,
} from "@tinkex/wire";
import type { EventHub } from "../events/event-hub.js";
import { RequestEvents } from "../events/request-events.js";
import type { OnBehalfOf } from "../future/operation-context.js";
import type { CallOptions } from "../inputs/call-options.js";
import { firstByte } from "./first-byte.js";

/** Options of calling an endpoint: `path` where its path has `{name}` parts, `query`, `unchecked`, and those of every call. */
export type EndpointCallOptions<Name extends EndpointName> = CallOptions & {
  /** Parameters of the address; `undefined` values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Send fields, names of losses and sampling parameters that this package does not know. @defaultValue false */
  readonly unchecked?: boolean | undefined;
} & (unknown extends PathParametersOf<Name>
    ? { readonly path?: undefined }
    : {
        /** Values for the `{name}` parts of the endpoint's path. */
        readonly path: PathParametersOf<Name>;
      });

/** The call that a request is made for; an operation's context is one. */
export interface RequestContext {
  readonly onBehalfOf?: OnBehalfOf | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of posting a request that is written. */
export interface PostOptions extends RequestContext {
  readonly timeoutMs?: number | undefined;
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Headers of the protocol; those of the caller win over them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** Error statuses that the caller reads itself. */
  readonly returnStatuses?: readonly number[] | undefined;
  /** Error statuses that another try does not mend. */
  readonly finalStatuses?: readonly number[] | undefined;
  /** Ends the call between its tries. */
  readonly stopSignal?: AbortSignal | undefined;
  /** Tells whether the body of a success is one; what is not is asked for again. */
  readonly isReadable?: ((body: Uint8Array) => boolean) | undefined;
}

/** A call while it is put together. */
type WritableCall = { -readonly [Name in keyof TransportCall]: TransportCall[Name] };

/** The parts that all calls of a client have in common. */
export interface ApiCallsOptions {
  readonly transport: HttpTransport;
  readonly sdkVersion: string;
  /** Generation of the server, which decides which fields JSON bodies have. */
  readonly generation: ApiGeneration;
  /** Publishes what happens to requests; `undefined` when nobody may hear. */
  readonly events?: EventHub | undefined;
  /** Told of tries that failed and are followed by another; one for all calls, so that those that succeed cost nothing. */
  readonly onRepeat?: TransportCall["onRepeat"] | undefined;
}

/**
 * The way to the endpoints of the API: `call` writes a record, posts it and reads the answer, typed by the table of endpoints.
 * `encode` and `post` are its two halves, for work that must know the moment at which a request leaves.
 */
export class ApiCalls {
  readonly #options: ApiCallsOptions;

  constructor(options: ApiCallsOptions) {
    this.#options = options;
  }

  /**
   * Calls an endpoint that takes and gives JSON.
   *
   * @param record - the body; `undefined` where the endpoint takes none
   * @returns the record of the answer; `undefined` where the endpoint's answer has no meaning
   * @throws ValidationError for a record that is not valid, before anything is sent; what the transport throws; ResponseError for
   * an answer that cannot be read
   */
  async call<Name extends EndpointName>(
    name: Name,
    record: RequestOf<Name>,
    options: EndpointCallOptions<Name> & RequestContext,
  ): Promise<ResponseOf<Name>> {
    const body =
      record === undefined ? undefined : this.encode(name, record, { unchecked: options.unchecked });
    const { onBehalfOf, query, signal, timeoutMs } = options;
    // Of a name that is not fixed the compiler does not see that the parts of a path are strings.
    const path = options.path as Readonly<Record<string, string>> | undefined;
    const isReadable = answerTest(name);
    const response = await this.post(name, body, { onBehalfOf, query, signal, timeoutMs, path, isReadable });
    return this.decode(name, response.body);
  }

  /**
   * Writes the body of a request, with the fields that the server knows.
   *
   * @param options - `isChecked`: the record was checked, or is made of nothing but what the service said; `what`: its name in
   *   messages
   * @throws ValidationError
   */
  encode<Name extends EndpointName>(
    name: Name,
    record: RequestOf<Name>,
    options: Omit<RequestEncoding, "generation"> = {},
  ): Uint8Array {
    const row = ENDPOINTS[name];
    if (!("request" in row)) {
      throw new ValidationError(`${name} takes no record: give undefined`, { path: ["record"] });
    }
    const { generation } = this.#options;
    try {
      // The row of the table says which record the endpoint takes; the compiler cannot follow a name through it.
      return encodeJsonRequest(row.request, record as never, { ...options, generation }).body;
    } catch (error) {
      if (options.unchecked || !(error instanceof ValidationError) || !error.message.includes(UNKNOWN_FIELD))
        throw error;
      throw new ValidationError(`${error.message} (service.call with unchecked: true sends it as it is)`, {
        path: error.path,
        cause: error,
      });
    }
  }

  /** Sends a body that is written, and gives the answer as it came. */
  post(name: EndpointName, body: Uint8Array | undefined, options: PostOptions): Promise<TransportResponse> {
    const { path, query, contentType, accept, returnStatuses, signal, timeoutMs } = options;
    const { finalStatuses, stopSignal, isReadable, onBehalfOf } = options;
    const { transport, events, onRepeat, sdkVersion } = this.#options;
    // A request with a body has a key of its own, however often it is delivered: by it the service knows a request again that it took
    // before it refused the next.
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["x-idempotency-key"] = randomUUID();
    if (onBehalfOf?.method !== undefined) {
      headers["x-sdk-method"] = onBehalfOf.method;
      headers["x-sdk-version"] = sdkVersion;
    }
    if (options.headers !== undefined) Object.assign(headers, options.headers);
    if (onBehalfOf?.headers !== undefined) Object.assign(headers, onBehalfOf.headers);
    // Field by field: an object of as many spreads takes longer to make than the request does to write.
    const call: WritableCall = { operation: name, headers };
    if (body !== undefined) call.body = body;
    if (path !== undefined) call.pathParameters = path;
    if (query !== undefined) call.query = query;
    if (contentType !== undefined) call.contentType = contentType;
    if (accept !== undefined) call.accept = accept;
    if (returnStatuses !== undefined) call.returnStatuses = returnStatuses;
    if (finalStatuses !== undefined) call.finalStatuses = finalStatuses;
    if (isReadable !== undefined) call.isReadable = isReadable;
    if (stopSignal !== undefined) call.stopSignal = stopSignal;
    if (signal !== undefined) call.signal = signal;
    if (timeoutMs !== undefined) call.timeoutMs = timeoutMs;
    const tryFailed = onBehalfOf?.tryFailed;
    if (tryFailed === undefined) {
      if (onRepeat !== undefined) call.onRepeat = onRepeat;
    } else {
      call.onRepeat = (repeat) => {
        onRepeat?.(repeat);
        tryFailed(repeat.outcome);
      };
    }
    if (events?.isHeard("request") === true)
      call.observer = new RequestEvents(events, name, onBehalfOf?.operationId);
    return transport.call(call);
  }

  /** Reads the answer of an endpoint. @throws ResponseError, DecodeError */
  decode<Name extends EndpointName>(name: Name, body: Uint8Array): ResponseOf<Name> {
    // As above: an endpoint without a record has the answer undefined.
    const hasRecord = "response" in ENDPOINTS[name];
    return (hasRecord ? decodeResponse(name as EndpointWithAnswer, body) : undefined) as ResponseOf<Name>;
  }
}

const OPENING_BRACKETS: readonly number[] = [0x5b, 0x7b];

/** Tells an answer of the API from nothing, and from the page of a proxy on the way. */
function beginsAsJson(body: Uint8Array): boolean {
  return OPENING_BRACKETS.includes(firstByte(body));
}

/**
 * Gives what tells whether a success of an endpoint is an answer of the API: one that is none is asked for again under the same key,
 * as what was asked for may be done. `undefined` where the answer has no meaning, and for reads, which the caller may repeat.
 */
export function answerTest(name: EndpointName): ((body: Uint8Array) => boolean) | undefined {
  const row = ENDPOINTS[name];
  return "response" in row && row.method !== "GET" ? beginsAsJson : undefined;
}
