import { createHash } from "node:crypto";
import { ValidationError } from "@tinkex/base";

/** Error for a file of the cache that is not what was downloaded: half of it, say, or zeros. */
export class DamagedFileError extends ValidationError {
  constructor(path: string) {
    super(
      `${path} is damaged: its content is not what was downloaded; remove it, or load it once with the network, which fetches it again`,
    );
  }
}

/**
 * Tells whether the text of a file is what it was downloaded as, by the hash that its blob is named for: SHA-256, or the SHA-1
 * of git. A file with another name (a copy, where links are not allowed) is checked for being JSON, if it should be.
 */
export function isSound(text: string, blobName: string, fileName: string): boolean {
  if (/^[0-9a-f]{64}$/.test(blobName)) return blobName === createHash("sha256").update(text).digest("hex");
  if (/^[0-9a-f]{40}$/.test(blobName)) {
    const header = `blob ${Buffer.byteLength(text)}\0`;
    return blobName === createHash("sha1").update(header).update(text).digest("hex");
  }
  return !fileName.endsWith(".json") || isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
