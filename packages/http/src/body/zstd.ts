import * as zlib from "node:zlib";

/** Packs bytes off the main thread. */
export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Part that we use of a `node:zlib` that has zstd; the type definitions of Node 20 do not know it. */
interface ZlibWithZstd {
  zstdCompress(bytes: Uint8Array, done: (error: Error | null, packed: Uint8Array) => void): void;
}

/**
 * zstd by this Node, or `undefined` before Node 22.15, which has none: bodies then go as they are, for a server's flag
 * allows compression and does not ask for it.
 *
 * @param library - for tests
 */
export function zstdCompressor(library: object = zlib): Compress | undefined {
  if (!hasZstd(library)) return undefined;
  return (bytes) =>
    new Promise((resolve, reject) => {
      library.zstdCompress(bytes, (error, packed) => (error === null ? resolve(packed) : reject(error)));
    });
}

function hasZstd(library: object): library is ZlibWithZstd {
  return "zstdCompress" in library && typeof library.zstdCompress === "function";
}
