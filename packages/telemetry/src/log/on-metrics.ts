import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  checkKnownNames,
  checkLogger,
  describeValue,
  errorMessage,
  type Logger,
  shieldedLogger,
  silentLogger,
  ValidationError,
} from "@tinkex/base";
import { EVENT_CHANNELS, type OperationMessage } from "@tinkex/types";
import { type Metrics, type MetricsTaker, takerOf } from "./metrics-logger.js";
import { StepRows } from "./step-rows.js";

/** Options of {@link onMetrics}. */
export interface OnMetricsOptions {
  /** Model whose metrics are wanted (`training.modelId`). @defaultValue all models of the process, each with steps of its own */
  readonly modelId?: string | undefined;
  /** Number of the first step, for a program that goes on where an earlier one stopped, in the same files. @defaultValue 0 */
  readonly firstStep?: number | undefined;
  /** Told of a logger that fails, once. @defaultValue `console` */
  readonly logger?: Pick<Logger, "warn"> | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof OnMetricsOptions, true>> = {
  modelId: true,
  firstStep: true,
  logger: true,
};

/** Most models whose steps are counted; the one that was not heard of for the longest goes. */
const MAX_MODELS = 10_000;

/**
 * Gives the metrics of every training step to a logger: those of its passes and of the optimizer in one row, once all of them have
 * settled. Rows come in the order of the steps, which count from `firstStep` for each model, by the order of the calls; up to 1,000 of a
 * model wait for calls before them. A logger that fails or is slow holds up no call.
 *
 * @param takers - `metricsLog`, `consoleLog`, `csvLog`, `prometheusLog`, an object with `log(metrics, step)`, a function, or several
 * @returns a function that ends it, and gives the rows that wait with what they have
 * @throws ValidationError at the call
 *
 * @example
 * const stop = onMetrics([metricsLog({ directory: "runs/support-bot" }), consoleLog()]);
 */
export function onMetrics(
  takers: MetricsTaker | readonly MetricsTaker[],
  options: OnMetricsOptions = {},
): () => void {
  checkKnownNames(options, OPTION_NAMES, "the options of onMetrics");
  const { modelId, firstStep = 0, logger = console } = options;
  checkLogger(logger, "onMetrics: logger", ["warn"]);
  if (!Number.isSafeInteger(firstStep) || firstStep < 0) {
    throw new ValidationError(
      `onMetrics: firstStep must be a whole number from 0, got ${describeValue(firstStep)}`,
      { path: ["firstStep"] },
    );
  }
  const given: readonly MetricsTaker[] = isList(takers) ? takers : [takers];
  const logs = given.map((taker, index) => guarded(takerOf(taker, `onMetrics: takers[${index}]`), logger));
  const models = new Map<string, StepRows>();
  const give = (metrics: Metrics, step: number): void => {
    for (const log of logs) log(metrics, step);
  };
  const hear = (heard: unknown): void => {
    const message = heard as OperationMessage;
    const { operation } = message;
    if (operation.client !== "TrainingClient" || operation.modelId === undefined) return;
    if (modelId !== undefined && operation.modelId !== modelId) return;
    const key = `${message.service.clientId} ${operation.modelId}`;
    const rows = models.get(key) ?? new StepRows(firstStep, give);
    models.delete(key);
    models.set(key, rows);
    rows.take(message);
    const [oldest] = models.keys();
    if (models.size > MAX_MODELS && oldest !== undefined) models.delete(oldest);
  };
  subscribe(EVENT_CHANNELS.operation, hear);
  return () => {
    unsubscribe(EVENT_CHANNELS.operation, hear);
    for (const rows of models.values()) rows.flush();
    models.clear();
  };
}

function isList(takers: MetricsTaker | readonly MetricsTaker[]): takers is readonly MetricsTaker[] {
  return Array.isArray(takers);
}

/** A logger that cannot fail its caller: the first failure is told, since rows are missing from then on. */
function guarded(
  log: (metrics: Metrics, step: number) => unknown,
  logger: Pick<Logger, "warn">,
): (metrics: Metrics, step: number) => void {
  let hasFailed = false;
  const { warn } = shieldedLogger({ ...silentLogger, warn: (message) => logger.warn(message) });
  const tell = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    warn(`onMetrics: a logger failed, and rows may be missing: ${errorMessage(error)}`);
  };
  return (metrics, step) => {
    try {
      Promise.resolve(log(metrics, step)).catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}
