import { RequestRefusal } from "../errors/request-refusal.js";
import type { TrainingModel } from "./training-model.js";

/** The models of all sessions, by id. */
export class ModelRegistry {
  readonly #models = new Map<string, TrainingModel>();

  /** @throws RequestRefusal 409 when the session has a model of this number already */
  add(model: TrainingModel): void {
    if (this.#models.has(model.id)) {
      throw new RequestRefusal(409, `model ${model.id} exists already; use the next model_seq_id`);
    }
    this.#models.set(model.id, model);
  }

  /** @throws RequestRefusal 404 */
  find(modelId: string): TrainingModel {
    const model = this.#models.get(modelId);
    if (model === undefined) {
      throw new RequestRefusal(
        404,
        `no model ${modelId}: create one with create_model (a restart forgets models, not their checkpoints)`,
      );
    }
    return model;
  }

  get(modelId: string): TrainingModel | undefined {
    return this.#models.get(modelId);
  }

  ofSession(sessionId: string): TrainingModel[] {
    return [...this.#models.values()].filter((model) => model.sessionId === sessionId);
  }

  all(): TrainingModel[] {
    return [...this.#models.values()];
  }
}
