import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { ResponseError } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";

type Decoder = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(zlib.gunzip) as Decoder,
  "x-gzip": promisify(zlib.gunzip) as Decoder,
  deflate: promisify(zlib.inflate) as Decoder,
  br: promisify(zlib.brotliDecompress) as Decoder,
};

/** Sent as `accept-encoding`: what every Node we run on can unpack. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** Most bytes one answer may unpack to. Results of the API stay far below; a bomb does not. */
export const MOST_UNPACKED_BYTES = 512 * 1024 * 1024;

/**
 * Unpacks a body according to its `content-encoding`, of answers and of errors alike.
 *
 * @throws ResponseError for an encoding nobody asked for, a broken stream, or more than `mostBytes`
 */
export async function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  mostBytes = MOST_UNPACKED_BYTES,
): Promise<Uint8Array> {
  const encodings = (contentEncoding ?? "").toLowerCase().split(",");
  let unpacked = body;
  // Applied in the order of the header, so undone from its end.
  for (const encoding of encodings.map((word) => word.trim()).reverse()) {
    if (encoding === "" || encoding === "identity" || unpacked.byteLength === 0) continue;
    unpacked = await unpack(unpacked, encoding, mostBytes);
  }
  return unpacked;
}

async function unpack(body: Uint8Array, encoding: string, maxOutputLength: number): Promise<Uint8Array> {
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decode === undefined) {
    throw new ResponseError(
      `the answer is packed as ${JSON.stringify(encoding)}, which was not asked for; we take ${ACCEPTED_ENCODINGS}`,
      { code: "decode_failed" },
    );
  }
  try {
    const { buffer, byteOffset, byteLength } = await decode(body, { maxOutputLength });
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (cause) {
    const why =
      errorCode(cause) === "ERR_BUFFER_TOO_LARGE"
        ? `unpacks to more than ${maxOutputLength} bytes`
        : `is not the ${encoding} data it claims to be`;
    throw new ResponseError(`the answer ${why}`, { code: "decode_failed", cause });
  }
}
