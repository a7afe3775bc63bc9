import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  checkKnownNames,
  checkLogger,
  describeValue,
  errorMessage,
  type Logger,
  ValidationError,
} from "@tinkex/base";
import { EVENT_CHANNELS, type OperationMessage } from "@tinkex/types";
import { type Metrics, type MetricsTaker, takerOf } from "./metrics-logger.js";

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

/** Methods that end a step; its row has the metrics of the passes before them too. */
const LAST_OF_STEP: readonly string[] = ["optimStep", "trainStep"];

const PASSES: readonly string[] = ["forwardBackward", "forwardBackwardCustom"];

/** Most passes of a model whose metrics wait for a step: a program may make passes and never a step. */
const MAX_WAITING_PASSES = 4_096;

/** A model's steps: the number of the next that is asked for, and metrics of passes that no step has taken yet. */
interface ModelSteps {
  nextStep: number;
  /** Numbers of the steps whose optimizer has not answered, by operation. */
  readonly numbers: Map<number, number>;
  /** Metrics by operation, in the order of the calls. */
  readonly rows: Map<number, Metrics>;
}

/**
 * Gives the metrics of every training step to a logger: those of its passes and of the optimizer in one row, once the optimizer has
 * answered. Steps count from `firstStep` for each model, by the order of the calls. A logger that fails or is slow holds up no call.
 *
 * @param takers - `metricsLog`, `consoleLog`, `csvLog`, `prometheusLog`, an object with `log(metrics, step)`, a function, or several
 * @returns a function that ends it
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
  const models = new Map<string, ModelSteps>();
  const hear = (heard: unknown): void => {
    const message = heard as OperationMessage;
    const { operation } = message;
    if (operation.client !== "TrainingClient" || operation.modelId === undefined) return;
    if (modelId !== undefined && operation.modelId !== modelId) return;
    const key = `${message.service.clientId} ${operation.modelId}`;
    const steps = models.get(key) ?? { nextStep: firstStep, numbers: new Map(), rows: new Map() };
    models.set(key, steps);
    const row = takeMessage(steps, message);
    if (row !== undefined) for (const log of logs) log(row.metrics, row.step);
  };
  subscribe(EVENT_CHANNELS.operation, hear);
  return () => void unsubscribe(EVENT_CHANNELS.operation, hear);
}

function isList(takers: MetricsTaker | readonly MetricsTaker[]): takers is readonly MetricsTaker[] {
  return Array.isArray(takers);
}

/** Notes a message, and gives the row of a step that it ends. */
function takeMessage(
  steps: ModelSteps,
  message: OperationMessage,
): { readonly metrics: Metrics; readonly step: number } | undefined {
  const { operationId, method } = message.operation;
  const isLast = LAST_OF_STEP.includes(method);
  switch (message.type) {
    case "operation.started":
      if (!isLast) return undefined;
      steps.numbers.set(operationId, steps.nextStep);
      steps.nextStep += 1;
      return undefined;
    case "operation.metrics":
      if (isLast || PASSES.includes(method)) keepRow(steps.rows, operationId, message.metrics);
      return undefined;
    case "operation.result": {
      const step = steps.numbers.get(operationId);
      if (step === undefined) return undefined;
      steps.numbers.delete(operationId);
      return { step, metrics: takeRows(steps.rows, operationId) };
    }
    case "operation.failed":
    case "operation.cancelled":
      steps.numbers.delete(operationId);
      return undefined;
    default:
      return undefined;
  }
}

/** Keeps the metrics of an operation, at the cost of the oldest where there are too many. */
function keepRow(rows: Map<number, Metrics>, operationId: number, metrics: Metrics): void {
  rows.set(operationId, metrics);
  const [oldest] = rows.keys();
  if (rows.size > MAX_WAITING_PASSES && oldest !== undefined) rows.delete(oldest);
}

/** Takes the metrics of the operations up to one: calls of later steps may have answered before it. */
function takeRows(rows: Map<number, Metrics>, lastOperationId: number): Metrics {
  const metrics: Record<string, Metrics[string]> = {};
  for (const operationId of [...rows.keys()].sort((a, b) => a - b)) {
    if (operationId > lastOperationId) break;
    Object.assign(metrics, rows.get(operationId));
    rows.delete(operationId);
  }
  return metrics;
}

/** A logger that cannot fail its caller: the first failure is told, since rows are missing from then on. */
function guarded(
  log: (metrics: Metrics, step: number) => unknown,
  logger: Pick<Logger, "warn">,
): (metrics: Metrics, step: number) => void {
  let hasFailed = false;
  const tell = (error: unknown): void => {
    if (!hasFailed)
      logger.warn(`onMetrics: a logger failed, and rows may be missing: ${errorMessage(error)}`);
    hasFailed = true;
  };
  return (metrics, step) => {
    try {
      Promise.resolve(log(metrics, step)).catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}
