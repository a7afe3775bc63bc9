import { errorMessage, TinkexError, ValidationError } from "@tinkex/base";

/** One of many requests of samples failed. `index` says which one, and `cause` why; `code` and `retryable` are those of the cause. */
export class SampleFailedError extends TinkexError {
  static override readonly name: string = "SampleFailedError";

  /** Place of the request among those that were given, from 0. */
  readonly index: number;

  /** @internal */
  constructor(method: string, index: number, cause: TinkexError) {
    super(`${method}: requests[${index}] failed: ${errorMessage(cause)}`, {
      code: cause.code,
      retryable: cause.retryable,
      cause,
    });
    this.index = index;
  }
}

/** Names the request in the error that it failed with. What ends all requests, such as an abort, is of none, and stays as it is. */
export function failedSample(method: string, index: number, error: unknown): unknown {
  if (!TinkexError.isInstance(error) || error.code === "aborted" || error.code === "closed") return error;
  if (error instanceof ValidationError) {
    const path = ["requests", index, ...error.path];
    return new ValidationError(`${method}: requests[${index}]: ${error.message}`, { path, cause: error });
  }
  return new SampleFailedError(method, index, error);
}
