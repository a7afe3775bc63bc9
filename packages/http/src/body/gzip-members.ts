import { createInflateRaw } from "node:zlib";
import type { CallLifetime, Settle } from "../limits/call-lifetime.js";

/** Bytes that begin a member: the magic number, and DEFLATE as its method (RFC 1952, 2.3.1). */
const MAGIC = [0x1f, 0x8b, 8];
/** Bytes of a header without the fields that its flags announce. */
const HEADER_BYTES = 10;
/** CRC and length, behind the content. */
const TRAILER_BYTES = 8;
const HAS_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

/**
 * Finds the members that a gzip body begins with, for what stands behind the last one is no data: some servers put a line feed or other
 * bytes there, and httpx, urllib3 and browsers pass over them, as gzip itself does, where Node's own unpacker refuses the body. The
 * beginning of one more member, down to its first byte, is data that was cut.
 *
 * @returns the members; nothing where there is not one, or one is damaged or cut
 */
export async function gzipMembers(body: Uint8Array, lifetime: CallLifetime): Promise<Uint8Array | undefined> {
  let end = 0;
  while (beginsMember(body.subarray(end))) {
    const start = contentStart(body, end);
    if (start === undefined) return undefined;
    const length = await lifetime.during<number | undefined>((settle) =>
      measure(body.subarray(start), settle),
    );
    if (length === undefined) return undefined;
    end = start + length + TRAILER_BYTES;
    if (end > body.byteLength) return undefined;
  }
  return end === 0 ? undefined : body.subarray(0, end);
}

/** Tells whether bytes are a member, or the beginning of one. */
function beginsMember(rest: Uint8Array): boolean {
  return rest.byteLength > 0 && MAGIC.every((byte, index) => byte === (rest[index] ?? byte));
}

/** Finds where the content of the member at `at` starts; nowhere, where its header is cut. */
function contentStart(body: Uint8Array, at: number): number | undefined {
  const flags = body[at + MAGIC.length] ?? 0;
  let start = at + HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) start += 2 + (body[start] ?? 0) + 256 * (body[start + 1] ?? 0);
  for (const field of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & field) === 0) continue;
    const zero = body.indexOf(0, start);
    if (zero < 0) return undefined;
    start = zero + 1;
  }
  return (flags & HAS_CRC) === 0 ? start : start + 2;
}

/** Counts the bytes of DEFLATE data that other data follows; `undefined` where it is damaged. What it unpacks to is of no interest here, and limited already. */
function measure(bytes: Uint8Array, { resolve }: Settle<number | undefined>): () => void {
  const inflate = createInflateRaw();
  inflate.on("data", () => {});
  inflate.on("end", () => resolve(inflate.bytesWritten));
  inflate.on("error", () => resolve(undefined));
  inflate.end(bytes);
  return () => void inflate.destroy();
}
