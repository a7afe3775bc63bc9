import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { RequestRefusal } from "../state/request-refusal.js";

/** zstd came to Node with 22.15; types of Node 20 do not know it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => zlib.Gunzip };

/** Whether this Node reads zstd bodies. */
export const HAS_ZSTD: boolean = createZstdDecompress !== undefined;

/** A body as Fastify reads it. It compares the encoded length with the Content-Length, and the decoded one with its limit. */
export type BodyStream = Readable & { receivedEncodedLength?: number };

/**
 * The decoded stream of a request body. Its reader stops at the body limit, so that a small body that grows huge costs no more
 * than any other.
 *
 * @throws RequestRefusal 415 for an encoding this Node does not have
 */
export function decompressBody(payload: Readable, encoding: string | undefined): BodyStream {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return payload;
  if (name !== "zstd" || createZstdDecompress === undefined) {
    throw new RequestRefusal(
      415,
      `Content-Encoding "${name}" is not read by this server; send the body as it is.`,
    );
  }
  const decoded = Object.assign(createZstdDecompress(), { receivedEncodedLength: 0 });
  payload.on("data", (chunk: Buffer) => {
    decoded.receivedEncodedLength += chunk.length;
  });
  payload.on("error", (error) => decoded.destroy(error));
  return payload.pipe(decoded);
}
