import { ApiStatusError, RequestFailedError } from "@tinkex/base";

/**
 * Adds what the caller can do to an error in the words of the service, which knows nothing of this client's options. It is a new
 * error, as an error that nobody catches is printed with the message that it was made with. Others stay as they are.
 */
export function withRemedy(error: unknown, remedy: string): unknown {
  const isRefusal = error instanceof ApiStatusError;
  if (!isRefusal && !(error instanceof RequestFailedError)) return error;
  const message = `${error.message.replace(/\.$/, "")}; ${remedy}`;
  return isRefusal ? new ApiStatusError(message, error) : new RequestFailedError(message, error);
}
