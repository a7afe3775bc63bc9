import { ApiStatusError, TinkexError } from "@tinkex/base";

/**
 * The service no longer knows the session, or a model or sampler of it: it has expired, or the service was started anew. What was
 * trained since the last checkpoint is lost; the next creation on the same service client opens a new session.
 */
export class SessionLostError extends TinkexError {
  static override readonly name: string = "SessionLostError";

  /** Path of the last checkpoint that the training client has saved or loaded, to go on from; `undefined` for a sampler. */
  readonly lastCheckpoint: string | undefined;

  /**
   * @param what - the lost thing as a message calls it, e.g. `model S:train:0`
   * @param info - `remedy` says what to do. @defaultValue to load the checkpoint, or to make a new client where there is none
   */
  constructor(
    what: string,
    info: {
      readonly lastCheckpoint?: string | undefined;
      readonly remedy?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    const { lastCheckpoint, cause } = info;
    const remedy =
      info.remedy ??
      (lastCheckpoint === undefined
        ? "make a new client; there is no checkpoint of this one"
        : `load ${lastCheckpoint} into a new client (createTrainingClientFromStateWithOptimizer)`);
    super(`the service no longer knows ${what} (expired, or the service was started anew); ${remedy}`, {
      code: "session_lost",
      cause,
    });
    this.lastCheckpoint = lastCheckpoint;
  }
}

/**
 * Tells whether a failure says that the service knows the path of a request, and not the session or model that it names. The 404 of
 * a server that lacks an endpoint has no word of its own.
 *
 * @param about - words of which its answer must have one, where other things may be missing too. @defaultValue any
 */
export function isLostSession(error: unknown, about: readonly string[] = [""]): error is ApiStatusError {
  if (!(error instanceof ApiStatusError) || (error.status !== 404 && error.status !== 410)) return false;
  const detail = detailOf(error)?.toLowerCase();
  return detail !== undefined && about.some((word) => detail.includes(word));
}

/** Reads a server's own words for a failure; `undefined` for those of a server that lacks the endpoint. */
export function detailOf({ body }: ApiStatusError): string | undefined {
  if (typeof body !== "object" || body === null || !("detail" in body)) return undefined;
  return typeof body.detail === "string" && body.detail !== "Not Found" ? body.detail : undefined;
}
