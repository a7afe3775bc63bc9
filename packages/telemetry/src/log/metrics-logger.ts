import { describeKind, ValidationError } from "@tinkex/base";

/** Metrics of one step, by their names. */
export type Metrics = Readonly<Record<string, number | string | boolean | null | undefined>>;

/** Anything that takes the metrics of a step: a log of this package, or an object of another library with such a method. */
export interface MetricsLogger {
  /** @param step - from 0 */
  log(metrics: Metrics, step: number): unknown;
}

/** A logger, or its method alone. */
export type MetricsTaker = MetricsLogger | ((metrics: Metrics, step: number) => unknown);

/** Gives the function that takes metrics. @throws ValidationError for what is no logger */
export function takerOf(taker: MetricsTaker, what: string): (metrics: Metrics, step: number) => unknown {
  if (typeof taker === "function") return taker;
  if (typeof taker === "object" && taker !== null && typeof taker.log === "function") {
    return (metrics, step) => taker.log(metrics, step);
  }
  throw new ValidationError(
    `${what} must be a function, or an object with a method log(metrics, step), got ${describeKind(taker)}`,
    { path: [what] },
  );
}
