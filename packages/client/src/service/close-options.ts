import { checkKnownNames, describeKind, describeValue, ValidationError } from "@tinkex/base";
import type { FinishReason, FinishSessionRequest } from "@tinkex/types";

/** Options of closing a service client. */
export interface CloseOptions {
  /** The end of the session as the service is told it. @defaultValue `success` */
  readonly status?: FinishReason | undefined;
  /** Free text beside it. */
  readonly detail?: string | undefined;
}

const CLOSE_OPTIONS = { status: true, detail: true } as const;
const FINISH_REASONS: readonly FinishReason[] = ["success", "errored", "interrupted"];

/** Checks how a session is to end, and makes the record of it. @throws ValidationError */
export function checkClose(options: CloseOptions): FinishSessionRequest {
  checkKnownNames(options, CLOSE_OPTIONS, "the options of close");
  const { status = "success", detail } = options;
  if (!FINISH_REASONS.includes(status)) {
    throw new ValidationError(
      `close: status must be one of ${FINISH_REASONS.join(", ")}, got ${describeValue(status)}`,
      { path: ["status"] },
    );
  }
  if (detail !== undefined && typeof detail !== "string") {
    throw new ValidationError(`close: detail must be a string, got ${describeKind(detail)}`, {
      path: ["detail"],
    });
  }
  return { reason: { type: status }, detail };
}
