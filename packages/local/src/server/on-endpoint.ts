import { ENDPOINTS, type EndpointName, type PathParametersOf, type ResponseOf } from "@tinkex/types";
import type { FastifyInstance, FastifyReply } from "fastify";
import { type ReadRequest, readRequest } from "./request-readers.js";

/** Parts of a request to an endpoint besides its record. */
export interface RequestContext<Name extends EndpointName> {
  /** Values of the `{name}` parts of the path. */
  readonly parameters: PathParametersOf<Name>;
  /** Query of the address, as it came. */
  readonly query: unknown;
  /** Body as it came: parsed JSON, a `ProtobufBody`, or undefined. */
  readonly body: unknown;
  /** Header `Accept`. */
  readonly accept: string | undefined;
  /** Header `Host`: this server's name and port, as the client knows them. */
  readonly host: string;
  /** Header `X-Idempotency-Key`: the same for all tries of one call. */
  readonly idempotencyKey: string | undefined;
}

/** Endpoints whose every answered field has a default in the SDKs, so that the server says only what differs. */
type ConfigEndpoint = "client_config" | "client_dynamic_config";

/** The record that an endpoint answers. */
type AnswerOf<Name extends EndpointName> = Name extends ConfigEndpoint
  ? Partial<ResponseOf<Name>>
  : ResponseOf<Name>;

/** Return value of a handler: the answer, now or later, or nothing where the body of the answer has no meaning. */
type Handled<Name extends EndpointName> =
  ResponseOf<Name> extends undefined ? Promise<void> : AnswerOf<Name> | Promise<AnswerOf<Name>>;

/**
 * Registers an endpoint of the table: method and path are those of its row, and its handler is given the row's request record and
 * answers its response record, or nothing (204) where the row has none.
 *
 * @param api - where paths begin behind `/api/v1`
 */
export function on<Name extends EndpointName>(
  api: FastifyInstance,
  name: Name,
  handle: (request: ReadRequest<Name>, context: RequestContext<Name>) => Handled<Name>,
): void {
  onUnread(api, name, async (context, reply) => {
    const answer = await handle(readRequest(name, context.body), context);
    return answer === undefined ? reply.code(204).send() : answer;
  });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Name of the endpoint in the table. */
    readonly endpoint?: EndpointName;
  }
}

/** Registers an endpoint whose handler reads the body itself, or writes the answer in a form of its own. */
export function onUnread<Name extends EndpointName>(
  api: FastifyInstance,
  name: Name,
  handle: (context: RequestContext<Name>, reply: FastifyReply) => Promise<unknown>,
): void {
  const { method, path } = ENDPOINTS[name];
  api.route({
    method,
    url: path.replaceAll("{", ":").replaceAll("}", ""),
    config: { endpoint: name },
    handler: ({ params, query, body, headers, host }, reply) => {
      // The address was matched by the very path whose parts the type names.
      const parameters = params as PathParametersOf<Name>;
      const key = headers["x-idempotency-key"];
      const idempotencyKey = Array.isArray(key) ? key[0] : key;
      return handle({ parameters, query, body, accept: headers.accept, host, idempotencyKey }, reply);
    },
  });
}
