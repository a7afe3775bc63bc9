import type { Datum, ModelInput } from "@tinkex/types";
import { numbers } from "./plain-numbers.js";
import { chunksOf, promptUnits } from "./prompt-units.js";

/** The whole document of a datum: its input, and the last target, the only token that the input lacks. */
export function documentOf({ model_input, loss_fn_inputs }: Datum): ModelInput {
  const { target_tokens: targets } = loss_fn_inputs;
  const last = targets === undefined ? [] : numbers(targets).slice(-1);
  return { chunks: chunksOf([...promptUnits(model_input, "datum.model_input"), ...last]) };
}

/**
 * Scores the targets of a datum with a model that is not trained.
 *
 * @param computeLogprobs - of a sampling client; the first token of a document has no score
 * @returns one log-probability for each target
 */
export async function scoreTargets(
  datum: Datum,
  computeLogprobs: (document: ModelInput) => PromiseLike<readonly (number | null)[]>,
): Promise<readonly number[]> {
  const scores = await computeLogprobs(documentOf(datum));
  return scores.slice(1).map((score) => score ?? 0);
}
