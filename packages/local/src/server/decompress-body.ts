import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { RequestRefusal } from "../errors/request-refusal.js";
import { ZstdFrames } from "./zstd-frames.js";

/** zstd came to Node with 22.15; types of Node 20 do not know it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => zlib.Gunzip };

/** True when this Node reads zstd bodies. */
export const HAS_ZSTD: boolean = createZstdDecompress !== undefined;

/**
 * The decoded stream of a request body. Data that was cut short is an error of the stream, a RequestRefusal 400.
 *
 * @throws RequestRefusal 415 for an encoding this Node does not have
 */
export function decompressBody(payload: Readable, encoding: string | undefined): Readable {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return payload;
  if (name !== "zstd" || createZstdDecompress === undefined) {
    const accepted =
      createZstdDecompress === undefined ? "identity (zstd needs Node 22.15)" : "zstd or identity";
    throw new RequestRefusal(
      415,
      `Content-Encoding must be ${accepted}, got "${name}"; send the body as it is`,
    );
  }
  const decoded = createZstdDecompress();
  const frames = new ZstdFrames();
  payload.on("data", (chunk: Buffer) => frames.add(chunk));
  payload.on("end", () => {
    if (frames.isWhole) return;
    decoded.destroy(
      new RequestRefusal(400, "the body ends within a zstd frame, so it was cut short; send it again"),
    );
  });
  payload.on("error", (error) => decoded.destroy(error));
  return payload.pipe(decoded);
}
