import { AbortedError, ClosedError, TinkexError, type TinkexErrorCode, ValidationError } from "@tinkex/base";

/** An error as plain data: a message between threads would strip its class and its fields. */
export interface TransferredError {
  readonly kind: "validation" | "aborted" | "closed" | "tinkex" | "other";
  readonly message: string;
  readonly code: TinkexErrorCode;
  readonly isRetryable: boolean;
  readonly path: readonly (string | number)[];
  /** Of an error that is not ours: a fault in the engine, whose place matters. */
  readonly stack: string | undefined;
}

export function packError(error: unknown): TransferredError {
  const message = error instanceof Error ? error.message : String(error);
  const common = { message, isRetryable: false, path: [], stack: undefined };
  if (!(error instanceof TinkexError)) {
    const stack = error instanceof Error ? error.stack : undefined;
    return { ...common, kind: "other", code: "request_failed", stack };
  }
  const { code, retryable: isRetryable } = error;
  if (error instanceof ValidationError) return { ...common, kind: "validation", code, path: error.path };
  if (error instanceof AbortedError) return { ...common, kind: "aborted", code };
  if (error instanceof ClosedError) return { ...common, kind: "closed", code };
  return { ...common, kind: "tinkex", code, isRetryable };
}

export function unpackError({
  kind,
  message,
  code,
  isRetryable,
  path,
  stack,
}: TransferredError): TinkexError {
  switch (kind) {
    case "validation":
      return new ValidationError(message, { path });
    case "aborted":
      return new AbortedError(message);
    case "closed":
      return new ClosedError(message);
    case "tinkex":
      return new TinkexError(message, { code, retryable: isRetryable });
    case "other":
      return new TinkexError(`the engine failed: ${message}`, { code, cause: stack });
  }
}
