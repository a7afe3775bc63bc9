import { createHash, timingSafeEqual } from "node:crypto";

/** Compares digests, so that the time taken tells nothing of the secret, not even its length, and any letters may be given. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
