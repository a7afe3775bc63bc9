import { describeKind, ValidationError } from "@tinkex/base";
import type { CustomLoss, Datum } from "@tinkex/types";
import type { OperationContext } from "../future/operation-context.js";
import { checkCustomData, runCustomLoss } from "./custom-loss/custom-loss.js";
import { handlePass, LossHandle } from "./loss-graph/loss-handle.js";
import type { PassOutput } from "./passes/combine-outputs.js";
import { checkLossInputs } from "./passes/prepare-data.js";
import type { TrainedModel } from "./trained-model.js";

/**
 * Makes the work of a pass with a loss of the caller's: a function, or the handle of a graph.
 *
 * @throws ValidationError for data that the loss cannot work with, and for what is neither
 */
export function customPass(
  model: TrainedModel,
  data: readonly Datum[],
  loss: CustomLoss | LossHandle,
): (context: OperationContext) => Promise<PassOutput> {
  if (loss instanceof LossHandle) {
    const pass = handlePass(loss, model, data);
    // The graph says which of its inputs have an element for each target.
    for (const [index, datum] of data.entries()) checkLossInputs("custom", datum, index, []);
    return pass;
  }
  checkCustomData(data);
  if (typeof loss !== "function") {
    const got = describeKind(loss);
    const advice = typeof loss === "string" ? "; forwardBackward takes the name of a loss" : "";
    throw new ValidationError(
      `forwardBackwardCustom: loss must be a function or a handle of createCustomLoss, got ${got}${advice}`,
      { path: ["loss"] },
    );
  }
  return (context) => runCustomLoss(model, data, loss, context);
}
