import { ValidationError } from "@tinkex/base";
import type { PolicyDatum } from "./trajectory-datums.js";

/**
 * Checks that the origin of every sampled token is known, without which `stable_reinforce` cannot be computed.
 *
 * @throws ValidationError naming the first example that lacks it
 */
export function checkProvenance(data: readonly PolicyDatum[]): void {
  const place = data.findIndex(({ datum }) => datum.loss_fn_input_spans === undefined);
  if (place < 0) return;
  throw new ValidationError(
    `rl: stable_reinforce needs the origin of every sampled token, and example ${place} of the step has a sample without a sequence_id; use another lossFn`,
  );
}
