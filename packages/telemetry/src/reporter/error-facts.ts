import {
  ApiStatusError,
  ConnectionError,
  RequestFailedError,
  ResponseError,
  TimeoutError,
} from "@tinkex/base";

/** Names of the official SDK for refusals, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: "BadRequestError",
  401: "AuthenticationError",
  403: "PermissionDeniedError",
  404: "NotFoundError",
  409: "ConflictError",
  422: "UnprocessableEntityError",
  429: "RateLimitError",
};

/** Longest name of an error that is sent. */
const MAX_NAME_LENGTH = 80;

/** Facts about an error that hold nobody's words: its message may quote a prompt, a path or a server. */
export interface ErrorFacts {
  /** Class, by the name that the official SDK has for it where it has one. */
  readonly type: string;
  /** Sentence made of the class, the status and the code alone. */
  readonly text: string;
  readonly status: number | undefined;
}

/** Reads the facts of whatever was thrown. */
export function errorFacts(error: unknown): ErrorFacts {
  const status = statusOf(error);
  return { type: errorType(error, status), text: errorText(error, status), status };
}

/** The HTTP status of an error, ours or of another library that calls it so. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const status: unknown = Reflect.get(error, "status") ?? Reflect.get(error, "status_code");
  return typeof status === "number" && Number.isInteger(status) ? status : undefined;
}

function errorType(error: unknown, status: number | undefined): string {
  if (error instanceof ApiStatusError || (status !== undefined && !(error instanceof Error))) {
    return statusName(status ?? 0);
  }
  if (error instanceof ConnectionError) return "APIConnectionError";
  if (error instanceof TimeoutError) return "APITimeoutError";
  if (error instanceof ResponseError) return "APIResponseValidationError";
  return error instanceof Error ? ownName(error) : typeof error;
}

/** Names a refusal by its status, as the official SDK does. */
export function statusName(status: number): string {
  return REFUSALS[status] ?? (status >= 500 ? "InternalServerError" : "APIStatusError");
}

/** A name that is not made of letters and digits may be anything, and is not sent. */
function ownName({ name }: Error): string {
  const isName =
    typeof name === "string" && name.length <= MAX_NAME_LENGTH && /^[A-Za-z_$][\w$]*$/.test(name);
  return isName ? name : "Error";
}

function errorText(error: unknown, status: number | undefined): string {
  if (status !== undefined) return `Error code: ${status}`;
  if (error instanceof RequestFailedError) return "Request failed";
  if (error instanceof ConnectionError) return "Connection error.";
  if (error instanceof TimeoutError) return "Request timed out.";
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  const isCode = typeof code === "string" && code.length <= MAX_NAME_LENGTH && /^\w+$/.test(code);
  return isCode ? `code ${code}` : "";
}
