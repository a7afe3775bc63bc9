import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";
import type { Renderer, RendererName, TrainOn } from "@tinkex/renderers";
import { checkDataset, type Dataset } from "./data/dataset.js";
import type { TrainingExample } from "./data/training-example.js";
import { checkEvaluators, type Evaluator } from "./loops/evaluators.js";
import { checkCount, checkRecipeOptions, RECIPE_OPTIONS, type RecipeOptions } from "./run/recipe-options.js";
import { checkRenderer } from "./run/training-tools.js";

/** Options of supervised fine-tuning. */
export interface SftOptions extends RecipeOptions {
  /** Chats, prompts with completions, or datums. Read once, and kept in memory. */
  readonly train: Dataset<TrainingExample>;
  /** Held-out examples: `test/nll` is measured on them. */
  readonly test?: Dataset<TrainingExample> | undefined;
  readonly evaluators?: readonly Evaluator[] | undefined;
  /** Steps between two evaluations, the first before step 0; 0 for none. @defaultValue 10 */
  readonly evaluateEvery?: number | undefined;
  /** Renderer of the chats, or its name. @defaultValue the one that is recommended for the model */
  readonly renderer?: Renderer | RendererName | undefined;
  /** Tokens of chats to train on. @defaultValue "all_assistant_messages" */
  readonly trainOn?: TrainOn | undefined;
  /** Most tokens of an example; what is behind them is cut off. @defaultValue no limit */
  readonly maxLength?: number | undefined;
  /** `"mean"` lets every example count the same, `"none"` every token, which wants a lower learning rate. @defaultValue "mean" */
  readonly reduction?: "mean" | "none" | undefined;
  /** Examples of a step. @defaultValue 32 */
  readonly batchSize?: number | undefined;
  /** Passes over the data. @defaultValue 1 */
  readonly epochs?: number | undefined;
  /** Most steps, however many epochs there are. @defaultValue no limit */
  readonly maxSteps?: number | undefined;
  /** Batches submitted beyond the one that is waited for. @defaultValue 1 */
  readonly submitAhead?: number | undefined;
}

/** The names of {@link SftOptions}. */
export const SFT_OPTIONS: Readonly<Record<keyof SftOptions, true>> = {
  ...RECIPE_OPTIONS,
  train: true,
  test: true,
  evaluators: true,
  evaluateEvery: true,
  renderer: true,
  trainOn: true,
  maxLength: true,
  reduction: true,
  batchSize: true,
  epochs: true,
  maxSteps: true,
  submitAhead: true,
};

const TRAIN_ON: Readonly<Record<TrainOn, true>> = {
  last_assistant_message: true,
  last_assistant_turn: true,
  all_assistant_messages: true,
  all_messages: true,
  all_tokens: true,
  all_user_and_system_messages: true,
  customized: true,
};

/** Options that say which tokens count, and how much. */
export type WeightOptions = Pick<SftOptions, "trainOn" | "reduction">;

/** @throws ValidationError for names that nothing has */
export function checkWeightOptions({ trainOn, reduction }: WeightOptions, method: string): void {
  if (trainOn !== undefined && !(typeof trainOn === "string" && Object.hasOwn(TRAIN_ON, trainOn))) {
    const names = Object.keys(TRAIN_ON).map((name) => JSON.stringify(name));
    throw new ValidationError(
      `${method}: trainOn must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}, got ${describeValue(trainOn)}`,
    );
  }
  if (reduction === undefined || reduction === "mean" || reduction === "none") return;
  throw new ValidationError(`${method}: reduction must be "mean" or "none", got ${describeValue(reduction)}`);
}

/** Advice on a path where examples are wanted. */
const PATH_ADVICE = "; chatsFromJsonl(path) reads a file of chats";

/** @throws ValidationError for options that cannot be trained with */
export function checkSftOptions(options: SftOptions, method = "sft"): void {
  checkKnownNames(options, SFT_OPTIONS, `the options of ${method}`);
  checkRecipeOptions(options, method);
  checkDataset(options.train, `${method}: train`, PATH_ADVICE);
  if (options.test !== undefined) checkDataset(options.test, `${method}: test`, PATH_ADVICE);
  checkEvaluators(options.evaluators, `${method}: evaluators`);
  checkWeightOptions(options, method);
  checkRenderer(options.renderer, `${method}: renderer`);
  checkCount(options.evaluateEvery, `${method}: evaluateEvery`, 0);
  checkCount(options.maxLength, `${method}: maxLength`, 2);
  checkCount(options.batchSize, `${method}: batchSize`, 1);
  checkCount(options.epochs, `${method}: epochs`, 1);
  checkCount(options.maxSteps, `${method}: maxSteps`, 1);
  checkCount(options.submitAhead, `${method}: submitAhead`, 0);
}
