import { ValidationError } from "@tinkex/base";
import { canSend, isRequestBody, isStreamed } from "../body/streamed-body.js";
import type { TinkexCall } from "../transport-call.js";
import type { Operation } from "./operations.js";
import { findOperation, OPERATIONS } from "./operations.js";

/**
 * The row of a call's operation, after a look at what the call holds.
 *
 * @throws ValidationError
 */
export function checkCall(call: TinkexCall): Operation {
  const operation = findOperation(call.operation);
  if (operation === undefined) {
    throw new ValidationError(
      `there is no operation ${JSON.stringify(call.operation)}; there are ${Object.keys(OPERATIONS).join(", ")}`,
      { path: ["operation"] },
    );
  }
  const fail = (message: string, field: keyof TinkexCall): never => {
    throw new ValidationError(`${call.operation}: ${message}`, { path: [field] });
  };
  if (call.timeoutMs !== undefined && !(call.timeoutMs > 0)) {
    fail(`timeoutMs must be a number above 0, not ${call.timeoutMs}`, "timeoutMs");
  }
  if (operation.method === "GET" && call.body !== undefined) fail("a GET request has no body", "body");
  if (call.body !== undefined && !isRequestBody(call.body)) {
    fail("a body is a Uint8Array or a streamed body, such as one of multipartBody", "body");
  }
  if (isStreamed(call.body)) {
    if (call.contentType !== undefined) fail("a streamed body brings its own contentType", "contentType");
    if (!canSend(call.body)) fail("the body was a stream that can be read once, and has been", "body");
    return operation;
  }
  if (operation.wire === "json" && call.contentType !== undefined && !call.contentType.includes("json")) {
    fail(`the body must be JSON, not ${call.contentType}`, "contentType");
  }
  return operation;
}
