import type { IncomingMessage } from "node:http";
import { PROTOBUF_TYPE, parseJson } from "@tinkex/wire";
import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../errors/request-refusal.js";
import { shortened } from "../json/shortened.js";
import { readBodyBytes } from "./read-body-bytes.js";

/** A protobuf body, which only its endpoint can read. */
export class ProtobufBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * Reads bodies: JSON with every integer exact, so that numbers of 64 bits arrive as they were sent; protobuf as
 * bytes. The graph of a loss tells `1.0` from `1`, for which there is an option. The SDKs name a JSON type also where they send no body at all.
 */
export function addBodyParsers(
  app: FastifyInstance,
  maxBytes: number,
  options: Parameters<typeof parseJson>[2] = {},
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (_request: unknown, payload: IncomingMessage) => {
    const body = await readBodyBytes(payload, maxBytes);
    return body.length === 0 ? undefined : parseJson(body, "request", options);
  });
  app.addContentTypeParser(
    PROTOBUF_TYPE,
    async (_request: unknown, payload: IncomingMessage) =>
      new ProtobufBody(await readBodyBytes(payload, maxBytes)),
  );
}

/** Refusal of a body of another type, or of none. */
export function contentTypeRefusal(given: string | undefined): RequestRefusal {
  const shown = given === undefined ? "none" : `"${shortened(given)}"`;
  return new RequestRefusal(415, `Content-Type must be application/json or ${PROTOBUF_TYPE}, got ${shown}`);
}
