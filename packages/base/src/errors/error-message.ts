/** The message of whatever was thrown, for a sentence that quotes it. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
