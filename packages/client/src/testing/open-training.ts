import type { TrainingClient } from "../training/training-client.js";
import { type OpenService, openService } from "./open-service.js";

/** A training client of a stub service whose configuration is `config`. */
export async function openTraining(
  config: object = {},
): Promise<OpenService & { readonly training: TrainingClient }> {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: config }));
  return { ...open, training: await open.service.createLoraTrainingClient({ base_model: "b" }) };
}

/** An optimizer step, where any operation will do. */
export const step = (training: TrainingClient) => training.optimStep({ learning_rate: 1e-4 });
