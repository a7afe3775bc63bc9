import { checkKnownNames, ValidationError } from "@tinkex/base";
import { findModel } from "./find-model.js";

/** Learning rate of full fine-tuning at the hidden size of reference. */
const BASE_RATE = 5e-5;
/** Factor by which an adapter learns faster than full fine-tuning, whatever its rank. */
const LORA_FACTOR = 10;
const REFERENCE_HIDDEN_SIZE = 2000;

/** Exponents by which the rate falls with the hidden size, by a part of the model's name. Only these families were measured. */
const EXPONENTS: readonly (readonly [family: string, exponent: number])[] = [
  ["llama", 0.781],
  ["qwen", 0.0775],
];

export interface LearningRateOptions {
  /** False for full fine-tuning. @defaultValue true */
  readonly isLora?: boolean | undefined;
}

/**
 * Learning rate that the cookbook recommends for a model.
 *
 * @throws ValidationError for a model of a family that was not measured: choose a rate yourself, for a wrong one is worse than none
 */
export function learningRateFor(model: string, options: LearningRateOptions = {}): number {
  checkKnownNames(options, { isLora: true }, "the options of learningRateFor");
  const sizes = findModel(model, "learningRateFor");
  const exponent = EXPONENTS.find(([family]) => model.toLowerCase().includes(family))?.[1];
  if (sizes === undefined || exponent === undefined) {
    const reason = sizes === undefined ? "is not in the table of models" : "is of a family that was not measured";
    throw new ValidationError(
      `learningRateFor: ${JSON.stringify(model)} ${reason}; give a learningRate, e.g. 1e-4 for an adapter, and compare two or three`,
    );
  }
  const rate = options.isLora === false ? BASE_RATE : BASE_RATE * LORA_FACTOR;
  return rate * (REFERENCE_HIDDEN_SIZE / sizes.hiddenSize) ** exponent;
}
