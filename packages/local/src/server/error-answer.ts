import { type Logger, TinkexError } from "@tinkex/base";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { shortened } from "../json/shortened.js";
import { contentTypeRefusal } from "./parse-bodies.js";

/** Status and `{"detail": …}` of whatever was thrown while a request was looked at. */
function errorAnswer(error: unknown): {
  readonly status: number;
  readonly detail: RequestRefusal["detail"];
} {
  if (error instanceof RequestRefusal) return { status: error.status, detail: error.detail };
  if (
    TinkexError.isInstance(error) &&
    (error.code === "validation_failed" || error.code === "decode_failed")
  ) {
    return { status: error.code === "decode_failed" ? 422 : 400, detail: error.message };
  }
  if (error instanceof OperationFailure)
    return { status: error.category === "user" ? 400 : 500, detail: error.message };
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return { status, detail: (error as FastifyError).message };
  return { status: 500, detail: "internal error: the server's log has the cause" };
}

/** Fastify's error handler: answers, and logs what is the server's own fault. */
export function errorHandler(logger: Logger) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = isMediaTypeError(thrown) ? contentTypeRefusal(request.headers["content-type"]) : thrown;
    const { status, detail } = errorAnswer(error);
    // A refusal on purpose was logged where its cause arose.
    if (status >= 500 && !(error instanceof RequestRefusal))
      logger.error(`${request.method} ${request.url} failed`, { error });
    // Issues are short already; a single text may quote what the sender wrote.
    if (error instanceof RequestRefusal) void reply.headers(error.headers);
    void reply.code(status).send({ detail: typeof detail === "string" ? shortened(detail) : detail });
  };
}

function isMediaTypeError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE";
}
