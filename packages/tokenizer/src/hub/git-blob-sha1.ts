import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Hashes a file as git names a blob: SHA-1, in hexadecimal digits, of a header with the size, then the content. */
export async function gitBlobSha1(path: string, sizeBytes: number): Promise<string> {
  const hash = createHash("sha1").update(`blob ${sizeBytes}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest("hex");
}
