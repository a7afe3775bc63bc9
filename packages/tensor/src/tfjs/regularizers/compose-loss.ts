import type { CustomLoss } from "@tinkex/types";
import { type CustomLossOptions, checkCustomLoss } from "../custom-loss-options.js";
import { differentiateParts, type LossPart } from "../custom-loss-part.js";
import { sumParts, type WeightedPart } from "../custom-loss-sum.js";
import type { TfLoss } from "../custom-loss-value.js";
import { joinMetrics, type OwnedMetrics } from "./join-metrics.js";
import { checkTerms, type LossTerm } from "./loss-term.js";

/** The base or a term, as it is differentiated and reported. */
interface ComposedPart extends LossPart {
  readonly name: string;
  readonly weight: number;
}

/**
 * Makes the custom loss `base + Σ weight · term`, for `forwardBackwardCustom`. Base and terms are differentiated one by one, so that
 * each has metrics of its own:
 *
 * | metric | is |
 * | --- | --- |
 * | `base_loss:sum`, `<name>_loss:sum` | its value, before the weight |
 * | `base_grad_norm:mean`, `<name>_grad_norm:mean` | Euclidean norm of its weighted gradient over all log-probabilities of the call |
 * | `total_grad_norm:mean` | the same of the sum |
 *
 * Metrics that base and terms return stand beside them. Base and terms are functions of the log-probabilities alone, and so are
 * these norms: the optimizer reports those of the adapter.
 *
 * @throws ValidationError at once for terms whose names or weights do not do; when it runs, as `customLoss`
 */
export function composeLoss(
  base: TfLoss,
  terms: readonly LossTerm[],
  options: CustomLossOptions = {},
): CustomLoss {
  checkCustomLoss(base, options);
  checkTerms(terms);
  const parts: ComposedPart[] = [
    {
      name: "base",
      weight: 1,
      label: "the custom loss",
      evaluate: (data, { logprobs, joined }) => base(data, logprobs, joined),
    },
    ...terms.map((term): ComposedPart => {
      const { name, weight } = term;
      const label = `the term ${JSON.stringify(name)}`;
      return { name, weight, label, evaluate: (data, inputs) => term.loss({ ...inputs, data, base }) };
    }),
  ];
  return async (data, logprobs) => {
    const values = await differentiateParts(parts, data, logprobs);
    const weighted = parts.flatMap((part, index) => {
      const value = values[index];
      return value === undefined ? [] : [{ ...part, value }];
    });
    const sum = sumParts(weighted, logprobs, options);
    return {
      ...sum,
      metrics: joinMetrics([
        ...weighted.flatMap(metricsOf),
        ["the sum", { "total_grad_norm:mean": euclideanNorm(sum.gradients) }],
      ]),
    };
  };
}

/** Gives a part's own metrics, and those that it returned. */
function metricsOf({ name, weight, label, value }: ComposedPart & WeightedPart): OwnedMetrics[] {
  const own = {
    [`${name}_loss:sum`]: value.loss,
    [`${name}_grad_norm:mean`]: Math.abs(weight) * euclideanNorm(value.gradients),
  };
  return [
    [`the value of ${label}`, own],
    [label, value.metrics],
  ];
}

function euclideanNorm(gradients: readonly (ArrayLike<number> | undefined)[]): number {
  let squares = 0;
  for (const gradient of gradients) {
    for (let index = 0; index < (gradient?.length ?? 0); index += 1) squares += (gradient?.[index] ?? 0) ** 2;
  }
  return Math.sqrt(squares);
}
