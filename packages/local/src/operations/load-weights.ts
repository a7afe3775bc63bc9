import { type CheckpointRecord, checkpointUri } from "../disk/checkpoint-record.js";
import { resolveCheckpoint } from "../disk/resolve-checkpoint.js";
import type { AdapterShape } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import type { ServerState } from "../registries/server-state.js";
import type { ModelAdapter } from "../registries/training-model.js";
import type { LoadWeightsBody } from "../requests/model-bodies.js";
import { submitOperation } from "./submit-operation.js";

/** Position that a load may have in the order of a model: right after its creation. */
const LOAD_SEQUENCE_ID = 1;

/**
 * The form of `load_weights` that fills a model just made. The hosted service takes it as the first request of a model
 * only and says so in these words. Returns the request id.
 *
 * @throws RequestRefusal 400 for a later request, 404 for an unknown model, 409
 */
export function loadWeights(
  state: ServerState,
  body: LoadWeightsBody & { readonly model_id: string },
): string {
  const model = state.models.find(body.model_id);
  const sequenceId = body.seq_id ?? model.queue.following;
  if (sequenceId !== LOAD_SEQUENCE_ID) {
    throw new RequestRefusal(400, `LoadWeights is not permitted with seq_id ${sequenceId}`);
  }
  return submitOperation(state, {
    model,
    sequenceId,
    content: { operation: "load_weights", ...body },
    run: async () => {
      const { engine, shape } = model.requireAdapter();
      const checkpoint = await resolveCheckpoint(state.checkpoints, body.path, ["weights"]);
      if (checkpoint.base_model !== engine.model.name || !isSameShape(checkpoint.shape, shape)) {
        throw userFailure(
          `"${body.path}" does not fit model ${model.id}: it holds ${describe(checkpoint.base_model, checkpoint.shape)}, ` +
            `and the model is ${describe(engine.model.name, shape)}`,
        );
      }
      await loadCheckpoint(state, model.id, checkpoint, body.optimizer);
      return {
        name: "LoadWeightsResponse",
        result: { path: body.path, model_id: model.id, type: "load_weights" },
      };
    },
  });
}

/**
 * Reads a checkpoint into an adapter.
 *
 * @param includesOptimizer - restores the optimizer too; absent (the 0.4 generation cannot say), all there is
 */
export async function loadCheckpoint(
  state: ServerState,
  adapterId: string,
  checkpoint: CheckpointRecord,
  includesOptimizer: boolean | undefined,
): Promise<ModelAdapter> {
  const engine = state.engines.find(checkpoint.base_model);
  if (includesOptimizer === true && !checkpoint.has_optimizer) {
    throw userFailure(
      `"${checkpointUri(checkpoint)}" holds no optimizer state; load it with optimizer false`,
    );
  }
  const options = { includesOptimizer: includesOptimizer ?? checkpoint.has_optimizer };
  const shape = await state.checkpoints.withFiles(checkpoint, (directory) =>
    engine.loadAdapter(adapterId, directory, options),
  );
  return { engine, shape };
}

function isSameShape(a: AdapterShape, b: AdapterShape): boolean {
  return (
    a.rank === b.rank &&
    a.trainAttention === b.trainAttention &&
    a.trainMlp === b.trainMlp &&
    a.trainUnembedding === b.trainUnembedding
  );
}

function describe(baseModel: string, shape: AdapterShape): string {
  const parts = [
    shape.trainAttention ? "attention" : "",
    shape.trainMlp ? "MLP" : "",
    shape.trainUnembedding ? "unembedding" : "",
  ];
  return `rank ${shape.rank} on ${parts.filter((part) => part !== "").join(" + ")} of ${baseModel}`;
}
