import type { OperationName } from "@tinkex/types";
import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { createModelFromCheckpoint } from "../../operations/create-model.js";
import { loadWeights } from "../../operations/load-weights.js";
import { reserveSequenceSlot } from "../../operations/reserve-sequence-slot.js";
import { saveWeights, saveWeightsExternal, saveWeightsForSampler } from "../../operations/save-weights.js";
import { runOptimStep, runPass } from "../../operations/train-model.js";
import type { ServerState } from "../../registries/server-state.js";
import { onUnread } from "../on-endpoint.js";
import { type ReadRequest, readRequest } from "../request-readers.js";

/** Endpoints of a model's operations, which run in the order of its sequence ids. Each answers at once with the id of a future. */
export function addTrainingRoutes(api: FastifyInstance, state: ServerState): void {
  /** Registers an operation. Its body is read within the slot, since a body that cannot be read uses its sequence id up too. */
  const onOperation = <Name extends OperationName>(
    name: Name,
    submit: (request: ReadRequest<Name>) => string | Promise<string>,
  ) =>
    onUnread(api, name, async ({ body }) => ({
      request_id: await reserveSequenceSlot(state, body, () => submit(readRequest(name, body))),
    }));
  onOperation("forward_backward", (request) => runPass(state, request));
  onOperation("forward", (request) => runPass(state, request));
  onOperation("optim_step", (request) => runOptimStep(state, request));
  onOperation("save_weights", (request) => saveWeights(state, request));
  onOperation("save_weights_for_sampler", (request) => saveWeightsForSampler(state, request));
  onOperation("save_weights_external", (request) => saveWeightsExternal(state, request));
  onOperation("load_weights", (request) => load(state, request));
}

function load(state: ServerState, request: ReadRequest<"load_weights">): string {
  const { model_id, session_id, model_seq_id } = request;
  if (model_id !== undefined) return loadWeights(state, { ...request, model_id });
  if (session_id === undefined || model_seq_id === undefined) {
    throw new RequestRefusal(
      422,
      "load_weights must have a model_id, or a session_id and a model_seq_id to make a model",
    );
  }
  return createModelFromCheckpoint(state, { ...request, session_id, model_seq_id });
}
