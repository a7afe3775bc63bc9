import type { OptimStepResponse, RequestOf } from "@tinkex/types";
import type { OperationContext } from "../future/operation-context.js";
import type { PassOutput } from "./passes/combine-outputs.js";
import type { TrainingPass } from "./passes/prepare-data.js";
import { passOutput, submitPass } from "./passes/training-pass.js";
import { submitOperation, type TrainedModel } from "./trained-model.js";

/** The results of the two halves of a training step. */
export interface TrainStepOutput {
  /** Outputs of each datum, and metrics, as `forwardBackward` gives them. */
  readonly forwardBackward: PassOutput;
  /** Response of `optimStep`, with `metrics` where the service has any. */
  readonly optimStep: OptimStepResponse;
}

/** Gives the metrics of both halves. */
export function metricsOfStep({ forwardBackward, optimStep }: TrainStepOutput): Record<string, number> {
  return { ...forwardBackward.metrics, ...optimStep.metrics };
}

/**
 * Runs a pass and the optimizer's step after it. Both are submitted in one turn: the step does not wait for the pass to be done,
 * and is not taken when the service has refused the pass.
 */
export async function runTrainStep(
  model: TrainedModel,
  pass: TrainingPass,
  step: Omit<RequestOf<"optim_step">, "model_id" | "seq_id">,
  context: OperationContext,
): Promise<TrainStepOutput> {
  const { outputs, stepped } = await model.turns.runExclusive(context.signal, async () => {
    const outputs = await submitPass(model, pass, context);
    return { outputs, stepped: await submitOperation(model, "optim_step", step, context, undefined) };
  });
  context.submitted();
  const [received, optimStep] = await Promise.all([Promise.all(outputs), stepped()]);
  return { forwardBackward: passOutput(model, pass, received), optimStep };
}
