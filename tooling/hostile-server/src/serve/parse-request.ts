import type { SeenRequest } from "../seen-request.js";

/**
 * The first request among the bytes of a connection; `undefined` while it is not whole.
 *
 * @throws RangeError for a body whose length cannot be read: where the next request begins is then not known
 */
export function parseRequest(
  bytes: Buffer,
  connection: number,
): { readonly request: SeenRequest; readonly byteLength: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...headerLines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of headerLines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const bodyStart = headEnd + 4;
  const sized =
    headers["transfer-encoding"] === "chunked"
      ? chunkedBody(bytes, bodyStart)
      : plainBody(bytes, bodyStart, headers);
  if (sized === undefined) return undefined;
  const [method = "", path = ""] = first.split(" ");
  return { request: { method, path, headers, body: sized.body, connection }, byteLength: sized.end };
}

function plainBody(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string>>,
): { body: Buffer; end: number } | undefined {
  const end = start + readLength(headers["content-length"] ?? "0", /^\d+$/, 10);
  return bytes.byteLength < end ? undefined : { body: Buffer.from(bytes.subarray(start, end)), end };
}

/** A body in chunks, as a client sends one whose length it does not know; extensions and trailers are skipped. */
function chunkedBody(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = readLength(bytes.subarray(at, lineEnd).toString("latin1"), /^[\da-f]+(?=$|[;\s])/i, 16);
    const dataStart = lineEnd + 2;
    if (size === 0) {
      const end = bytes.indexOf("\r\n", dataStart);
      return end < 0 ? undefined : { body: Buffer.concat(parts), end: end + 2 };
    }
    const dataEnd = dataStart + size;
    if (bytes.byteLength < dataEnd + 2) return undefined;
    parts.push(bytes.subarray(dataStart, dataEnd));
    at = dataEnd + 2;
  }
}

function readLength(text: string, form: RegExp, base: number): number {
  const [digits] = form.exec(text) ?? [];
  if (digits === undefined) throw new RangeError(`the length of a body is no number: ${text}`);
  return Number.parseInt(digits, base);
}
