import { PROTOBUF_TYPE, parseJson } from "@tinkex/wire";
import type { FastifyInstance } from "fastify";

/** A protobuf body, which only its endpoint can read. */
export class ProtobufBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * How bodies are read: JSON with every integer exact, so that numbers of 64 bits arrive as they were sent; protobuf as
 * bytes. The SDKs name a JSON type also where they send no body at all.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => (body.length === 0 ? undefined : parseJson(body, "request")),
  );
  app.addContentTypeParser(
    PROTOBUF_TYPE,
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => new ProtobufBody(body),
  );
}
