import {
  type Clock,
  checkClock,
  checkFunction,
  checkLogger,
  checkObject,
  checkString,
  describeValue,
  errorMessage,
  type Logger,
  ValidationError,
} from "@tinkex/base";
import type { ServiceClient } from "@tinkex/client";
import { type AdamParams, adamParamsSchema, checkSent } from "@tinkex/types";
import { checkSchedule, type ScheduleName } from "../arithmetic/schedule.js";
import { checkPrices, type TokenPrices } from "../metrics/token-usage.js";
import { learningRateFor } from "../models/learning-rate-for.js";
import { isCheckpointPath } from "./open-training.js";
import type { Metrics } from "./recipe-event.js";

/** Options that every recipe that trains has. */
export interface RecipeOptions {
  readonly service: ServiceClient;
  /**
   * A base model, or `tinker://…/weights/…`: its weights are loaded, and the optimizer begins anew. */
  readonly model: string;
  /** Folder of the run. Where it holds an unfinished run of this configuration, that one goes on. @defaultValue nothing is written */
  readonly runDirectory?: string | undefined;
  /** Rank of the adapter of a new model. @defaultValue 32 */
  readonly rank?: number | undefined;
  /** Decides the adapter's first weights, the order of the data and the samples. @defaultValue 0 */
  readonly seed?: number | undefined;
  /** @defaultValue `learningRateFor(model)`, which knows few models */
  readonly learningRate?: number | undefined;
  /** Course of the learning rate. @defaultValue "linear" for supervised recipes, "constant" for reinforcement learning */
  readonly schedule?: ScheduleName | undefined;
  /** Parameters of AdamW. @defaultValue beta1 0.9, beta2 0.95, eps 1e-8, weight_decay 0 */
  readonly adam?: Omit<AdamParams, "learning_rate"> | undefined;
  /** Steps between two checkpoints; 0 saves the last one alone. @defaultValue 20 */
  readonly saveEvery?: number | undefined;
  /** Seconds for which checkpoints on the way are kept; the last one stays. @defaultValue 604,800, a week */
  readonly checkpointTtlSeconds?: number | undefined;
  /** Called with the metrics of each step, and waited for; what it throws ends the run. */
  readonly onMetrics?: ((step: number, metrics: Metrics) => void | Promise<void>) | undefined;
  /** Dollars for a million tokens of each kind, by which `cost/step_usd` and `cost/cumulative_usd` are told. @defaultValue tokens are counted alone */
  readonly tokenPrices?: TokenPrices | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** The names of {@link RecipeOptions}. */
export const RECIPE_OPTIONS: Readonly<Record<keyof RecipeOptions, true>> = {
  service: true,
  model: true,
  runDirectory: true,
  rank: true,
  seed: true,
  learningRate: true,
  schedule: true,
  adam: true,
  saveEvery: true,
  checkpointTtlSeconds: true,
  onMetrics: true,
  tokenPrices: true,
  signal: true,
  logger: true,
  clock: true,
};

/** Parameters of AdamW where none are given, those of the Python cookbook. */
export const DEFAULT_ADAM = { beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 } as const;

/** Checks the options that recipes share. @throws ValidationError, also for a model without a known learning rate */
export function checkRecipeOptions(options: RecipeOptions, method: string): void {
  checkObject(options.service, `${method}: service`, "new ServiceClient()");
  checkFunction(options.service.createLoraTrainingClient, `${method}: service.createLoraTrainingClient`);
  checkString(options.model, `${method}: model`, "Qwen/Qwen3-8B");
  if (options.runDirectory !== undefined)
    checkString(options.runDirectory, `${method}: runDirectory`, "runs/a");
  if (options.onMetrics !== undefined) checkFunction(options.onMetrics, `${method}: onMetrics`);
  checkClock(options.clock, `${method}: clock`);
  checkLogger(options.logger, `${method}: logger`);
  checkPrices(options.tokenPrices, `${method}: tokenPrices`);
  checkSignal(options.signal, `${method}: signal`);
  if (options.schedule !== undefined) checkSchedule(options.schedule, `${method}: schedule`);
  if (options.adam !== undefined) checkAdam(options.adam, `${method}: adam`);
  checkCount(options.rank, `${method}: rank`, 1);
  checkCount(options.seed, `${method}: seed`, 0);
  checkCount(options.saveEvery, `${method}: saveEvery`, 0);
  checkCount(options.checkpointTtlSeconds, `${method}: checkpointTtlSeconds`, 1);
  const { learningRate } = options;
  if (learningRate === undefined) {
    // Fails for a model that nobody measured, before anything is sent.
    if (!isCheckpointPath(options.model)) checkLearningRateOf(options.model, method);
  } else if (!(Number.isFinite(learningRate) && learningRate > 0)) {
    throw new ValidationError(`${method}: learningRate must be above 0, got ${describeValue(learningRate)}`);
  }
}

/** @throws ValidationError for a model without a known learning rate */
function checkLearningRateOf(model: string, method: string): void {
  try {
    learningRateFor(model);
  } catch (cause) {
    throw new ValidationError(`${method}: ${errorMessage(cause)}`, { cause });
  }
}

/** @throws ValidationError for what is no signal, which would be ignored until something is aborted */
export function checkSignal(signal: AbortSignal | undefined, place: string): void {
  if (signal === undefined) return;
  // One of another realm or of a polyfill counts too.
  const isSignal = typeof signal === "object" && signal !== null && typeof signal.aborted === "boolean";
  if (isSignal && typeof signal.addEventListener === "function") return;
  throw new ValidationError(`${place} must be an AbortSignal, got ${describeValue(signal)}`);
}

function checkAdam(adam: Omit<AdamParams, "learning_rate">, place: string): void {
  checkObject(adam, place, "{ beta1: 0.9 }");
  checkSent(adamParamsSchema, { ...adam, learning_rate: 1 }, place);
}

/** @throws ValidationError for a count that is no whole number from `min` */
export function checkCount(value: number | undefined, what: string, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  throw new ValidationError(`${what} must be a whole number from ${min}, got ${describeValue(value)}`);
}
