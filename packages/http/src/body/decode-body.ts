import * as zlib from "node:zlib";
import { ResponseError } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import { shownText } from "../hooks/shown-text.js";
import type { CallLifetime, Settle } from "../limits/call-lifetime.js";
import { BodyPieces } from "./body-pieces.js";
import { encodingsOf } from "./encodings-of.js";
import { gzipMembers } from "./gzip-members.js";

/** Sent as `accept-encoding`: what every Node we run on can unpack. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

const UNPACKERS: Readonly<Record<string, (body: Uint8Array) => zlib.Gunzip | zlib.BrotliDecompress>> = {
  gzip: () => zlib.createGunzip(OPTIONS),
  "x-gzip": () => zlib.createGunzip(OPTIONS),
  // Some servers send bare DEFLATE; a zlib header says 8 in its lower half (RFC 1950, 2.2).
  deflate: ([first = 8]) =>
    (first & 0x0f) === 8 ? zlib.createInflate(OPTIONS) : zlib.createInflateRaw(OPTIONS),
  br: () => zlib.createBrotliDecompress(OPTIONS),
};
const OPTIONS = { chunkSize: 64 * 1024 };

/** Encodings one over the other; nobody needs two. */
const MAX_LAYERS = 4;

/** Longest name of an encoding that is shown, in characters. */
const MAX_SHOWN = 50;

/** Bodies of the API unpack to less than so many times their size; only what is made to hurt does not. */
const MAX_RATIO = 100;
/** Unpacked bytes that are taken whatever the ratio. */
const MIN_RATIO_BYTES = 16 * 1024 * 1024;

/** A packed body. */
export interface PackedBody {
  readonly status: number;
  readonly body: Uint8Array;
  readonly contentEncoding: string | undefined;
  /** Most bytes of an answer that is no error, unpacked. */
  readonly maxBytes: number;
  /** Credentials that must not be shown of the server's words. */
  readonly secrets: () => readonly string[];
}

/**
 * Unpacks the body of an answer. A body that ends too early broke on its way, and sending again may bring all of it.
 *
 * @param maxBytes - of an answer that is no error
 * @param secrets - credentials that must not be shown of the server's words
 * @throws ResponseError for a body that does not unpack; the interruption that ends the call
 */
export async function unpackAnswer(
  answer: Answer,
  maxBytes: number,
  secrets: () => readonly string[],
  lifetime: CallLifetime,
): Promise<TryOutcome> {
  const { status, headers, body } = answer;
  const contentEncoding = headers["content-encoding"];
  try {
    return {
      ...answer,
      body: await decodeBody({ status, body, contentEncoding, maxBytes, secrets }, lifetime),
    };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    // The status of an error says more than that its body cannot be read.
    if (status >= 300) return { ...answer, body: new TextEncoder().encode(`(${error.message})`) };
    if (errorCode(error.cause) !== CUT_SHORT) throw error;
    return { kind: "broken", cause: error.cause, isStaleConnection: false };
  }
}

/** zlib's code for data that ends in the middle. */
const CUT_SHORT = "Z_BUF_ERROR";

/**
 * Unpacks a body according to its `content-encoding`, piece by piece, so that neither memory nor the call's limits depend on
 * how much there is. Of an error the beginning is enough, also where its end is missing.
 *
 * @throws ResponseError for an encoding nobody asked for, a broken stream, or too much; what ends the call
 */
export async function decodeBody(packed: PackedBody, lifetime: CallLifetime): Promise<Uint8Array> {
  const { contentEncoding, maxBytes, secrets } = packed;
  const encodings = encodingsOf(contentEncoding);
  if (encodings.length > MAX_LAYERS) throw refusal(`is packed more than ${MAX_LAYERS} times over`);
  let { body } = packed;
  // Applied in the order of the header, so undone from its end.
  for (const encoding of encodings.reverse()) {
    if (body.byteLength === 0) break;
    const open = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined;
    if (open === undefined) {
      const shown = shownText(JSON.stringify(encoding), secrets(), MAX_SHOWN);
      throw refusal(`is packed as ${shown}, which was not asked for; we take ${ACCEPTED_ENCODINGS}`);
    }
    const limit = Math.min(maxBytes, Math.max(MIN_RATIO_BYTES, MAX_RATIO * body.byteLength));
    const unpacked = (bytes: Uint8Array): Promise<Uint8Array> =>
      lifetime.during<Uint8Array>((settle) =>
        unpack({ ...packed, body: bytes, maxBytes: limit }, encoding, open(bytes), settle),
      );
    const layer = body;
    body = await unpacked(layer).catch(async (error: unknown) => {
      const members = isNoGzip(error) ? await gzipMembers(layer, lifetime) : undefined;
      if (members === undefined) throw error;
      return unpacked(members);
    });
  }
  return body;
}

/** zlib's codes for bytes behind the last member of a gzip body; it calls a single one data that was cut. */
const NO_GZIP = new Set<unknown>(["Z_DATA_ERROR", CUT_SHORT]);

/** Tells whether a body failed to unpack for its bytes, which may be those behind the data. */
function isNoGzip(error: unknown): boolean {
  return error instanceof ResponseError && NO_GZIP.has(errorCode(error.cause));
}

/** Unpacks one layer. Returns a function that stops it. */
function unpack(
  { status, body, maxBytes }: PackedBody,
  encoding: string,
  unpacker: zlib.Gunzip | zlib.BrotliDecompress,
  { resolve, reject }: Settle<Uint8Array>,
): () => void {
  const pieces = new BodyPieces(status, maxBytes);
  let hasGiven = false;
  const end = (): void => {
    unpacker.destroy();
    resolve(pieces.join());
  };
  unpacker.on("data", (piece: Uint8Array) => {
    hasGiven = true;
    try {
      if (!pieces.add(piece)) end();
    } catch {
      unpacker.destroy();
      reject(refusal(`unpacks to more than ${maxBytes} bytes`));
    }
  });
  unpacker.on("end", end);
  unpacker.on("error", (cause) => {
    // Of an error the beginning is enough: its end may lie behind the limit.
    if (status >= 300 && hasGiven) end();
    else reject(refusal(`is not the ${encoding} data it claims to be`, cause));
  });
  unpacker.end(body);
  return () => void unpacker.destroy();
}

function refusal(why: string, cause?: unknown): ResponseError {
  return new ResponseError(`the answer ${why}`, { code: "decode_failed", cause });
}
