import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";

/** Options of taking gradients. */
export interface CustomLossOptions {
  /**
   * Treatment of a datum on whose log-probabilities the loss does not depend: mostly a mistake, so an error, or a gradient
   * of zeros. @defaultValue "error"
   */
  readonly unusedGradients?: "error" | "zero" | undefined;
}

/** @throws ValidationError for a loss that is no function, and for options that are misspelt or mean nothing */
export function checkCustomLoss(loss: unknown, options: CustomLossOptions): void {
  if (typeof loss !== "function") {
    throw new ValidationError(
      `the custom loss must be a function, e.g. (data, logprobs, joined) => ({ loss: tf.neg(tf.sum(joined)) }), got ${describeValue(loss)}`,
      { path: ["loss"] },
    );
  }
  checkKnownNames(options, { unusedGradients: true }, "options");
  const { unusedGradients = "error" } = options;
  if (unusedGradients === "error" || unusedGradients === "zero") return;
  throw new ValidationError(
    `options.unusedGradients must be "error" or "zero", got ${describeValue(unusedGradients)}`,
    { path: ["options", "unusedGradients"] },
  );
}
