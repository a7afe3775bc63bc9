import * as zlib from "node:zlib";
import type { Dice } from "./dice.js";
import { mutateBytes } from "./mutate-bytes.js";
import { mutateJson } from "./mutate-json.js";

/** A request as it was recorded, or as it goes out. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (data: Uint8Array) => Buffer };
const JSON_TYPE = "application/json";

/** Changes a recorded request: mostly its body, sometimes its path, method or headers. */
export function mutateRequest(request: FuzzRequest, dice: Dice): FuzzRequest {
  const body = dice.hits(0.05) ? request.body : mutateBody(request, dice);
  const headers: Record<string, string> = { ...request.headers };
  const changed = { ...request, headers, body };
  if (dice.hits(0.04))
    headers["content-type"] = dice.of([
      "text/plain",
      "application/x-protobuf",
      JSON_TYPE,
      "multipart/form-data",
      "a/b; c",
    ]);
  if (dice.hits(0.03)) headers.accept = dice.of(["*/*", "application/x-protobuf", "text/html", ""]);
  if (dice.hits(0.02))
    Object.assign(
      headers,
      dice.of<Record<string, string>>([
        { origin: "http://evil.example" },
        { "sec-fetch-site": "cross-site" },
        { host: "evil.example" },
        { "x-api-key": "no" },
      ]),
    );
  if (body !== undefined && dice.hits(0.06)) return encoded(changed, body, dice);
  if (dice.hits(0.03)) return { ...changed, path: mutatePath(request.path, dice) };
  if (dice.hits(0.02)) return { ...changed, method: dice.of(["PUT", "DELETE", "PATCH", "OPTIONS"]) };
  return changed;
}

function mutateBody({ headers, body }: FuzzRequest, dice: Dice): Uint8Array | undefined {
  if (body === undefined) return undefined;
  return headers["content-type"] === JSON_TYPE
    ? Buffer.from(mutateJson(Buffer.from(body).toString(), dice))
    : mutateBytes(body, dice);
}

function encoded(request: FuzzRequest, body: Uint8Array, dice: Dice): FuzzRequest {
  const encoding = dice.of(["zstd", "zstd", "gzip", "br", "identity", "x"]);
  let packed = encoding === "zstd" && zstdCompressSync ? zstdCompressSync(body) : zlib.gzipSync(body);
  if (dice.hits(0.3)) packed = packed.subarray(0, dice.below(packed.length));
  return { ...request, headers: { ...request.headers, "content-encoding": encoding }, body: packed };
}

function mutatePath(path: string, dice: Dice): string {
  const at = dice.below(path.length);
  const piece = dice.of([
    "/",
    "//",
    "..%2f",
    "%00",
    "%ff",
    "?limit=1e9&offset=-1",
    "?limit=0",
    "?offset=9007199254740993",
    "x".repeat(1500),
    "é",
  ]);
  return (
    encodeURI(`/${path.slice(1, at)}`) +
    encodeURI(piece).replaceAll("%25", "%") +
    encodeURI(path.slice(at + dice.below(3)))
  );
}
