import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { RequestRefusal } from "../errors/request-refusal.js";
import { ByteCollector } from "./byte-collector.js";
import { decompressBody } from "./decompress-body.js";

/**
 * Reads a request's body whole, and decompresses it.
 *
 * @param maxBytes - of the body, compressed or not
 * @throws RequestRefusal 413 beyond `maxBytes`, 415 for an encoding that is not read, 400 for data that cannot be decoded
 */
export async function readBodyBytes(payload: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { "content-length": length, "content-encoding": encoding } = payload.headers;
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  const decoded = decompressBody(payload, encoding);
  try {
    return await collect(decoded, maxBytes);
  } catch (error) {
    // A body refused half-way must not go on growing behind the answer; the rest of it is thrown away.
    if (decoded !== payload) decoded.destroy();
    payload.resume();
    throw error;
  }
}

function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const collector = new ByteCollector();
  return new Promise((resolve, reject) => {
    stream.on("data", (chunk: Buffer) => {
      if (collector.length + chunk.length <= maxBytes) return collector.add(chunk);
      stream.removeAllListeners("data");
      reject(tooLarge(maxBytes));
    });
    stream.on("end", () => resolve(collector.bytes()));
    stream.on("error", (error) => {
      if (error instanceof RequestRefusal) return reject(error);
      reject(new RequestRefusal(400, `the body cannot be read (${error.message}); send it again`));
    });
    stream.on("close", () => {
      // Every body is closed in the end, and a refusal that nobody hears costs its stack trace.
      if (!stream.readableEnded) reject(new RequestRefusal(400, "the body was cut short; send it again"));
    });
  });
}

function tooLarge(maxBytes: number): RequestRefusal {
  return new RequestRefusal(413, `the body must be at most ${maxBytes} bytes; send less at once`);
}
