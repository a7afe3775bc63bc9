import type { FastifyInstance, FastifyRequest } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { createModelFromCheckpoint } from "../../operations/create-model.js";
import { loadWeights } from "../../operations/load-weights.js";
import { reserveSequenceSlot } from "../../operations/reserve-sequence-slot.js";
import { saveWeights, saveWeightsForSampler } from "../../operations/save-weights.js";
import { runOptimStep, runPass } from "../../operations/train-model.js";
import type { ServerState } from "../../registries/server-state.js";
import {
  type LoadWeightsBody,
  loadWeightsBody,
  optimStepBody,
  saveWeightsBody,
  saveWeightsForSamplerBody,
} from "../../requests/model-bodies.js";
import { readBody } from "../../requests/request-body.js";
import { readForwardBackwardBody, readForwardBody } from "../read-pass-body.js";

/** Endpoints of what a model does in the order of its sequence ids. Each answers at once with the id of a future. */
export function addTrainingRoutes(api: FastifyInstance, state: ServerState): void {
  const take =
    (submit: (body: unknown) => string | Promise<string>) =>
    async ({ body }: FastifyRequest) => ({
      request_id: await reserveSequenceSlot(state, body, () => submit(body)),
    });
  api.post(
    "/forward_backward",
    take((body) => runPass(state, readForwardBackwardBody(body))),
  );
  api.post(
    "/forward",
    take((body) => runPass(state, readForwardBody(body))),
  );
  api.post(
    "/optim_step",
    take((body) => runOptimStep(state, readBody(optimStepBody, body))),
  );
  api.post(
    "/save_weights",
    take((body) => saveWeights(state, readBody(saveWeightsBody, body))),
  );
  api.post(
    "/save_weights_for_sampler",
    take((body) => saveWeightsForSampler(state, readBody(saveWeightsForSamplerBody, body))),
  );
  api.post(
    "/load_weights",
    take((body) => load(state, readBody(loadWeightsBody, body))),
  );
}

function load(state: ServerState, body: LoadWeightsBody): string {
  const { model_id, session_id, model_seq_id } = body;
  if (model_id !== undefined) return loadWeights(state, { ...body, model_id });
  if (session_id === undefined || model_seq_id === undefined) {
    throw new RequestRefusal(
      422,
      "load_weights needs a model_id, or a session_id and a model_seq_id to make a model.",
    );
  }
  return createModelFromCheckpoint(state, { ...body, session_id, model_seq_id });
}
