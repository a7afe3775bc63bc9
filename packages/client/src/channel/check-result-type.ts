import { describeValue, ResponseError } from "@tinkex/base";
import type { FutureOutcome } from "@tinkex/types";
import type { FutureResultName } from "@tinkex/wire";

/**
 * The `type` of results that may have no other field: any answer at all would pass for them. Others are known by the fields that they
 * must have, whatever type a server states.
 */
const BARE_TYPES: Partial<Readonly<Record<FutureResultName, string>>> = {
  OptimStepResponse: "optim_step",
  LoadWeightsResponse: "load_weights",
};

/** @throws ResponseError where an answer says that it is of another kind than the result that was asked for */
export function checkResultType(name: FutureResultName, outcome: FutureOutcome<object>): void {
  const wanted = BARE_TYPES[name];
  if (wanted === undefined || outcome.state !== "complete" || !("type" in outcome.result)) return;
  const { type } = outcome.result;
  if (typeof type !== "string" || type === wanted) return;
  throw new ResponseError(
    `the service gave an answer of type ${describeValue(type)} where the result of ${wanted} was asked for`,
  );
}
