import { checkArray, checkKnownNames, checkObject, describeValue, ValidationError } from "@tinkex/base";
import { checkNumber, checkNumbers } from "../arguments/check-numbers.js";
import { mean } from "../arithmetic/sums.js";

/** Log-probabilities of one datum, position by position, and where they count. */
export interface ScoredDatum {
  /** Log-probabilities with which the tokens were sampled, `[N]`. */
  readonly logprobs: ArrayLike<number>;
  /** Those that the teacher, or the model of reference, gives the same tokens, `[N]`. */
  readonly reference: ArrayLike<number>;
  /** 1 on sampled tokens, 0 elsewhere, `[N]`. */
  readonly mask: ArrayLike<number>;
}

export interface KlOptions {
  /** Weight of the term. @defaultValue 1 */
  readonly coefficient?: number | undefined;
  /** Above 0, each token also answers for those behind it, each a factor less. @defaultValue 0 */
  readonly discount?: number | undefined;
  /**
   * True leaves the discounted sum on positions that were not sampled too, as the Python cookbook does: they have no sampled
   * log-probability, and should have no advantage. @defaultValue false
   */
  readonly onObservations?: boolean | undefined;
}

/** Advantages to add, per datum and position, and the mean difference of the log-probabilities. */
export interface KlAdvantages {
  readonly advantages: readonly (readonly number[])[];
  /** Mean of sampled − reference over sampled tokens; NaN where there are none. */
  readonly meanDifference: number;
}

/**
 * Advantages of on-policy distillation: −coefficient × (sampled − teacher) on each sampled token, so that the student is rewarded for what the
 * teacher finds likely.
 *
 * @throws ValidationError when arrays of a datum differ in length, or an option is no number
 */
export function reverseKlAdvantages(data: readonly ScoredDatum[], options: KlOptions = {}): KlAdvantages {
  return klAdvantages(data, options, "reverseKlAdvantages", () => 0);
}

/**
 * Advantages of a penalty for leaving the model of reference: coefficient × (mean − (sampled − reference)) on each sampled token. They add
 * up to 0 over the batch, so that the penalty moves no reward between steps.
 *
 * @throws ValidationError when arrays of a datum differ in length, or an option is no number
 */
export function klPenalty(data: readonly ScoredDatum[], options: KlOptions = {}): KlAdvantages {
  return klAdvantages(data, options, "klPenalty", (meanDifference) => meanDifference);
}

const OPTIONS = { coefficient: true, discount: true, onObservations: true } as const;

function klAdvantages(
  data: readonly ScoredDatum[],
  options: KlOptions,
  method: string,
  baselineOf: (meanDifference: number) => number,
): KlAdvantages {
  checkKnownNames(options, OPTIONS, `the options of ${method}`);
  const { coefficient = 1, discount = 0, onObservations = false } = options;
  for (const [name, value] of Object.entries({ coefficient, discount })) {
    if (Number.isFinite(value)) continue;
    throw new ValidationError(`${method}: ${name} must be a finite number, got ${describeValue(value)}`);
  }
  checkArray(data, `${method}: data`);
  const differences = data.map((datum, index) => differencesOf(datum, `${method}: data[${index}]`));
  const counted = differences.flatMap((row, index) =>
    row.filter((_, place) => isCounted(data[index], place)),
  );
  const meanDifference = mean(counted);
  const baseline = baselineOf(meanDifference);
  const advantages = differences.map((row, index) => {
    const terms = row.map((difference, place) =>
      isCounted(data[index], place) ? coefficient * (baseline - difference) : 0,
    );
    if (discount === 0) return terms;
    const sums = discountedFutureSum(terms, discount);
    return onObservations ? sums : sums.map((value, place) => (isCounted(data[index], place) ? value : 0));
  });
  return { advantages, meanDifference };
}

function isCounted(datum: ScoredDatum | undefined, place: number): boolean {
  return Number(datum?.mask[place] ?? 0) > 0;
}

function differencesOf(datum: ScoredDatum, place: string): number[] {
  checkScoredDatum(datum, place);
  const { logprobs, reference } = datum;
  return Array.from(logprobs, (logprob, index) => logprob - Number(reference[index]));
}

/** @throws ValidationError when arrays of a datum are none, or differ in length */
export function checkScoredDatum(datum: ScoredDatum, place: string): void {
  checkObject(datum, place, "{ logprobs, reference, mask }");
  const { logprobs, reference, mask } = datum;
  checkNumbers(logprobs, `${place}.logprobs`);
  checkNumbers(reference, `${place}.reference`);
  checkNumbers(mask, `${place}.mask`);
  if (reference.length !== logprobs.length || mask.length !== logprobs.length) {
    throw new ValidationError(
      `${place}: logprobs, reference and mask must be of one length, got ${logprobs.length}, ${reference.length} and ${mask.length}`,
    );
  }
}

/**
 * Sums of each value and those behind it, each a factor `discount` less: `y[i] = x[i] + discount × y[i + 1]`.
 *
 * @throws ValidationError when `values` is no array of numbers
 */
export function discountedFutureSum(values: readonly number[], discount: number): number[] {
  checkNumbers(values, "discountedFutureSum: values");
  checkNumber(discount, "discountedFutureSum: discount");
  const sums = [...values];
  for (let index = sums.length - 2; index >= 0; index -= 1) {
    sums[index] = (sums[index] ?? 0) + discount * (sums[index + 1] ?? 0);
  }
  return sums;
}
