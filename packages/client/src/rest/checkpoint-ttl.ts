import { describeValue, ValidationError } from "@tinkex/base";
import type { CheckpointPath } from "@tinkex/types";
import { partsOf } from "./checkpoint-parts.js";
import type { RestRequest } from "./rest-request.js";

/** @throws ValidationError for what is no number of seconds above 0, nor null */
export function checkTtl(method: string, ttl_seconds: unknown): asserts ttl_seconds is number | null {
  if (ttl_seconds === null) return;
  if (typeof ttl_seconds === "number" && Number.isSafeInteger(ttl_seconds) && ttl_seconds > 0) return;
  throw new ValidationError(
    `${method}: ttl_seconds must be an integer above 0, or null to keep the checkpoint for ever, got ${describeValue(ttl_seconds)}`,
    { path: ["ttl_seconds"] },
  );
}

/** Sets, or with null removes, the time after which the service deletes a checkpoint. */
export async function setTtl(
  request: RestRequest,
  path: CheckpointPath,
  ttl_seconds: number | null,
): Promise<void> {
  await request.ask("set_checkpoint_ttl", { ttl_seconds }, { path: partsOf(path) });
  request.checkpointLives.lives(path.tinker_path, ttl_seconds);
}
