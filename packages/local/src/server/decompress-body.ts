import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { RequestRefusal } from "../state/request-refusal.js";

/** zstd came to Node with 22.15; types of Node 20 do not know it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => zlib.Gunzip };

/**
 * The decoded stream of a request body. Its reader counts what comes out and stops at the body limit, so that a small
 * body that grows huge costs no more than any other.
 *
 * @throws RequestRefusal 415 for an encoding this Node does not have
 */
export function decompressBody(payload: Readable, encoding: string | undefined): Readable {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return payload;
  if (name === "zstd" && createZstdDecompress !== undefined) {
    const decoder = createZstdDecompress();
    payload.on("error", (error) => decoder.destroy(error));
    return payload.pipe(decoder);
  }
  throw new RequestRefusal(
    415,
    `Content-Encoding "${name}" is not read by this server; send the body as it is.`,
  );
}
