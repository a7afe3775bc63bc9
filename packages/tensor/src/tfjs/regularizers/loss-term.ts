import { describeValue, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import type { LossInputs } from "../custom-loss-inputs.js";
import type { TfLoss, TfLossValue } from "../custom-loss-value.js";

/** Inputs of a term: the log-probabilities in the two ways a loss has them, and more. */
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

/** Options of every term. */
export interface TermOptions {
  /** Factor of the term in the sum. Terms are sums over positions, as the service's losses are: divide for a mean. */
  readonly weight: number;
  /** Begins the names of the term's metrics. @defaultValue that of the function, e.g. `kl` */
  readonly name?: string | undefined;
}

/** Names whose metrics are those of the loss that terms are added to, and of the sum. */
const TAKEN = ["base", "total"];

/** @throws ValidationError for what is no term, for a weight that is no finite number, and for names that are alike or make no name of a metric */
export function checkTerms(terms: readonly LossTerm[]): void {
  if (!Array.isArray(terms)) {
    throw new ValidationError(`terms must be a list, got ${describeValue(terms)}`, { path: ["terms"] });
  }
  const names = new Set<string>();
  for (const [index, term] of terms.entries()) {
    checkTerm(term, index);
    const { name } = term;
    if (names.has(name)) {
      throw new ValidationError(`two terms are named ${JSON.stringify(name)}: give one another \`name\``, {
        path: ["terms", index, "name"],
      });
    }
    names.add(name);
  }
}

function checkTerm(term: LossTerm, index: number): void {
  const place = `terms[${index}]`;
  const refusal = (problem: string, ...field: string[]) =>
    new ValidationError(`${[place, ...field].join(".")} ${problem}`, { path: ["terms", index, ...field] });
  if (typeof term !== "object" || term === null) {
    const problem = "must be a term, { name, weight, loss }, as l1({ weight: 1 }) makes one";
    throw refusal(`${problem}, got ${describeValue(term)}`);
  }
  const { name, weight, loss } = term;
  if (!Number.isFinite(weight)) {
    throw refusal(`must be a finite number, got ${describeValue(weight)}`, "weight");
  }
  if (typeof name !== "string" || !/^[\w./-]+$/.test(name)) {
    throw refusal(`must consist of letters, digits and _ . / -, got ${describeValue(name)}`, "name");
  }
  if (TAKEN.includes(name)) {
    throw refusal(`${JSON.stringify(name)} is that of other metrics: give it another \`name\``, "name");
  }
  if (typeof loss !== "function") {
    throw refusal(`must be a function, got ${describeValue(loss)}`, "loss");
  }
}
