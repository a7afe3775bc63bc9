import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";

/** Kinds of tokens that a service bills apart. */
export interface TokenCounts {
  /** Tokens that were sampled. */
  readonly sampled?: number | undefined;
  /** Tokens of prompts that the service had in its cache. */
  readonly prefill_cached?: number | undefined;
  /** Tokens of prompts that it read anew. */
  readonly prefill_uncached?: number | undefined;
  /** Tokens of passes forward and backward. */
  readonly trained?: number | undefined;
}

/** Dollars for a million tokens of each kind. */
export type TokenPrices = TokenCounts;

type Kind = keyof TokenCounts;
const KINDS: Readonly<Record<Kind, true>> = {
  sampled: true,
  prefill_cached: true,
  prefill_uncached: true,
  trained: true,
};
const NAMES = Object.keys(KINDS) as readonly Kind[]; // of the record above
const PER_MILLION = 1e-6;

/**
 * Counter of the tokens that a run has used, step by step and in all, and of what they cost where prices are known.
 *
 * @example
 * const usage = new TokenUsage({ sampled: 0.4, trained: 1.2 });
 * usage.add({ sampled: 2_000 });
 * usage.takeMetrics(); // { "tokens/sampled": 2000, …, "cost/step_usd": 0.0008, "cost/cumulative_usd": 0.0008 }
 */
export class TokenUsage {
  readonly #prices: TokenPrices | undefined;
  #step: Record<Kind, number> = noTokens();
  readonly #total: Record<Kind, number>;

  /**
   * @param before - tokens that were used earlier, by a run that goes on. @defaultValue none
   * @throws ValidationError for a price, or a count, that is no number from 0
   */
  constructor(prices?: TokenPrices, before: TokenCounts = {}) {
    checkPrices(prices, "TokenUsage: prices");
    checkCounts(before, "TokenUsage: before");
    this.#prices = prices;
    this.#total = sumTokens([before]);
  }

  /** Tokens of all steps that have ended. */
  get total(): Readonly<Record<keyof TokenCounts, number>> {
    return { ...this.#total };
  }

  /** Counts tokens of the step that is under way. @throws ValidationError for a count that is no number from 0 */
  add(tokens: TokenCounts): void {
    checkCounts(tokens, "TokenUsage.add: tokens");
    for (const name of NAMES) this.#step[name] += tokens[name] ?? 0;
  }

  /** Ends the step and gives its metrics: `tokens/*`, `tokens/cumulative/*`, and `cost/*` where there are prices. */
  takeMetrics(): Record<string, number> {
    const step = this.#step;
    this.#step = noTokens();
    for (const name of NAMES) this.#total[name] += step[name];
    const metrics: Record<string, number> = {};
    for (const name of NAMES) metrics[`tokens/${name}`] = step[name];
    for (const name of NAMES) metrics[`tokens/cumulative/${name}`] = this.#total[name];
    if (this.#prices !== undefined) {
      metrics["cost/step_usd"] = this.#cost(step);
      metrics["cost/cumulative_usd"] = this.#cost(this.#total);
    }
    return metrics;
  }

  #cost(tokens: Readonly<Record<Kind, number>>): number {
    return NAMES.reduce((cost, name) => cost + tokens[name] * (this.#prices?.[name] ?? 0) * PER_MILLION, 0);
  }
}

/** Tells whether tokens of a kind of this name are counted. */
export function isTokenKind(name: string): boolean {
  return Object.hasOwn(KINDS, name);
}

/** Adds counts up. */
export function sumTokens(counts: readonly TokenCounts[]): Record<Kind, number> {
  const total = noTokens();
  for (const count of counts) for (const name of NAMES) total[name] += count[name] ?? 0;
  return total;
}

/** @throws ValidationError for a price that is no number from 0 */
export function checkPrices(prices: TokenPrices | undefined, what: string): void {
  if (prices !== undefined) checkCounts(prices, what);
}

function noTokens(): Record<Kind, number> {
  return { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 };
}

function checkCounts(counts: TokenCounts, what: string): void {
  checkKnownNames(counts, KINDS, what);
  for (const [name, value] of Object.entries(counts)) {
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue;
    throw new ValidationError(`${what}.${name} must be a number from 0, got ${describeValue(value)}`);
  }
}
