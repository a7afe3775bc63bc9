import { ApiStatusError, describeValue, ValidationError } from "@tinkex/base";
import type { CheckpointPath } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { partsOf } from "./checkpoint-parts.js";
import { isDoneByEarlierTry } from "./earlier-try.js";
import type { RestRequest } from "./rest-request.js";

/** Options of publishing a checkpoint, and of taking that back. */
export interface PublishOptions extends CallOptions {
  /** Conduct where the checkpoint is in that state already (409): an `error`, or all is `ok`. @defaultValue `error` */
  readonly ifAlready?: "error" | "ok" | undefined;
}

export const PUBLISH_OPTIONS = { ...CALL_OPTIONS, ifAlready: true } as const;

/** @throws ValidationError */
export function checkIfAlready(method: string, { ifAlready }: PublishOptions): void {
  if (ifAlready === undefined || ifAlready === "error" || ifAlready === "ok") return;
  throw new ValidationError(`${method}: ifAlready must be "error" or "ok", got ${describeValue(ifAlready)}`, {
    path: ["ifAlready"],
  });
}

/**
 * Lets everybody read a checkpoint, or its owner alone.
 *
 * @throws ApiStatusError with code `conflict` when that is so already; not when an earlier try of the call has made it so
 */
export async function setPublished(
  request: RestRequest,
  path: CheckpointPath,
  isPublic: boolean,
  { ifAlready }: PublishOptions,
): Promise<void> {
  const name = isPublic ? "publish_checkpoint" : "unpublish_checkpoint";
  try {
    await request.ask(name, undefined, { path: partsOf(path) });
  } catch (error) {
    const isAlready = error instanceof ApiStatusError && error.status === 409;
    if (isDoneByEarlierTry(error, 409) || (isAlready && ifAlready === "ok")) return;
    throw error;
  }
}
