import { ValidationError } from "@tinkex/base";
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
 * @throws ValidationError when the service gave a target none: a made-up one would be trained on
 */
export async function scoreTargets(
  datum: Datum,
  computeLogprobs: (document: ModelInput) => PromiseLike<readonly (number | null)[]>,
): Promise<readonly number[]> {
  const [, ...scores] = await computeLogprobs(documentOf(datum));
  const { target_tokens: targets } = datum.loss_fn_inputs;
  const count = targets === undefined ? 0 : targets.data.length;
  if (scores.length !== count) {
    throw new ValidationError(
      `the service gave ${scores.length + 1} log-probabilities for a text of ${count + 1} tokens that it was to score`,
    );
  }
  return scores.map((score, index) => {
    if (score !== null && !Number.isNaN(score)) return score;
    throw new ValidationError(
      `the service gave no log-probability for token ${index + 1} of a text that it was to score`,
    );
  });
}
