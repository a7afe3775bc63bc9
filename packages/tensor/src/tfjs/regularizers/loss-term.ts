import { type Datum, ValidationError } from "@tinkex/types/base";
import type { LossInputs } from "../custom-loss-inputs.js";
import type { TfLoss, TfLossValue } from "../custom-loss-value.js";

/** What a term computes from: the log-probabilities in the two ways a loss has them, and more. */
export interface TermContext extends LossInputs {
  /** The datums as they were given, with all their inputs. */
  readonly data: readonly Datum[];
  /** The loss that the term is added to. */
  readonly base: TfLoss;
}

/** A term that `composeLoss` adds to a loss. Those here are made by functions; one of your own is an object like it. */
export interface LossTerm {
  /** Begins the names of the term's metrics: letters, digits and `_ . / -`. */
  readonly name: string;
  /** Factor of the term in the sum. */
  readonly weight: number;
  /** The term before its weight, in operations of tfjs; synchronous, like the loss. */
  readonly loss: (context: TermContext) => TfLossValue;
}

/** What every term takes. */
export interface TermOptions {
  /** Factor of the term in the sum. Terms are sums over positions, as the service's losses are: divide for a mean. */
  readonly weight: number;
  /** Begins the names of the term's metrics. @defaultValue that of the function, e.g. `kl` */
  readonly name?: string | undefined;
}

/** @throws ValidationError for a weight that is no finite number, or names that are alike or make no name of a metric */
export function checkTerms(terms: readonly LossTerm[]): void {
  const names = new Set<string>();
  for (const [index, { name, weight }] of terms.entries()) {
    if (!Number.isFinite(weight)) {
      throw new ValidationError(`terms[${index}].weight must be a finite number, got ${weight}`, {
        path: ["terms", index, "weight"],
      });
    }
    if (!/^[\w./-]+$/.test(name)) {
      throw new ValidationError(
        `terms[${index}].name must consist of letters, digits and _ . / -, got ${JSON.stringify(name)}`,
        { path: ["terms", index, "name"] },
      );
    }
    if (names.has(name)) {
      throw new ValidationError(`two terms are named ${JSON.stringify(name)}: give one another \`name\``, {
        path: ["terms", index, "name"],
      });
    }
    names.add(name);
  }
}
