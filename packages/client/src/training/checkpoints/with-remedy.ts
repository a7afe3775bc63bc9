import { ApiStatusError, RequestFailedError } from "@tinkex/base";

/**
 * Adds what the caller can do to an error in the words of the service, which knows nothing of this client's options. It is a new
 * error, as an error that nobody catches is printed with the message that it was made with. Others stay as they are.
 */
export function withRemedy(error: unknown, remedy: string): unknown {
  if (error instanceof RequestFailedError) {
    return new RequestFailedError(`${error.message}; ${remedy}`, error);
  }
  return error instanceof ApiStatusError ? new ApiStatusError(`${error.message}; ${remedy}`, error) : error;
}
