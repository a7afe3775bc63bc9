/** Tells a failure of the file system by its code, such as `ENOENT`, from all others. */
export function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
