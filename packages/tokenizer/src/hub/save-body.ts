import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { ResponseError } from "@tinkex/base";
import { NetworkFailure } from "./request-file.js";

/** Size and hash of what {@link saveBody} wrote. */
export interface SavedBody {
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Writes the body of an answer to a file, anew, and stops before more than `maxBytes` of it are on the disk.
 * @throws NetworkFailure when it breaks off, ResponseError when it is longer; errors of the file system as they are.
 */
export async function saveBody(
  body: ReadableStream<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<SavedBody> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const reader = body.getReader();
  const file = await open(path, "w");
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new NetworkFailure(cause);
      });
      if (done) return { sizeBytes, sha256: hash.digest("hex") };
      sizeBytes += value.byteLength;
      if (sizeBytes > maxBytes) {
        throw new ResponseError(
          `the download was stopped: it must be at most ${maxBytes} bytes long, got more; check HF_ENDPOINT, or try again`,
        );
      }
      hash.update(value);
      await file.writeFile(value);
    }
  } finally {
    await file.close();
    // Does nothing where all was read; that the rest cannot be called off changes nothing.
    await reader.cancel().catch(() => {});
  }
}
