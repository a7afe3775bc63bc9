import { ApiStatusError, errorMessage, TinkexError } from "@tinkex/base";
import type { FuturesRetrieveRequest } from "@tinkex/types";

/**
 * Waiting for the samples of a sampling client failed for all of them at once; `cause` says why. Their work may go on on the service.
 * A later sample asks anew, unless the key was refused.
 */
export class FuturesPollerError extends TinkexError {
  static override readonly name: string = "FuturesPollerError";

  /** The status that ended the waiting, where it was one. */
  readonly status: number | undefined;

  constructor(target: FuturesRetrieveRequest["target"], cause: unknown) {
    const { sampling_session_id: id, cloned_sampler_id: copy } = target;
    super(
      `retrieve_futures polling failed for sampling session ${id} (clone ${copy}): ${errorMessage(cause)}`,
      { code: cause instanceof TinkexError ? cause.code : "response_invalid", cause },
    );
    this.status = cause instanceof ApiStatusError ? cause.status : undefined;
  }
}
