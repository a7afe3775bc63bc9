import { errorMessage, TinkexError, ValidationError } from "@tinkex/base";

/** An error with its place before its message. A failure of the service keeps its code; anything else is a fault of what was given. */
export function errorAt(place: string, cause: unknown): TinkexError {
  const message = `${place}: ${errorMessage(cause)}`;
  if (cause instanceof ValidationError) return new ValidationError(message, { path: cause.path, cause });
  if (!(cause instanceof TinkexError)) return new ValidationError(message, { cause });
  return new TinkexError(message, { code: cause.code, retryable: cause.retryable, cause });
}
