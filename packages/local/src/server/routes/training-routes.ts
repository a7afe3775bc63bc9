import type { FastifyInstance } from "fastify";
import {
  type LoadWeightsBody,
  loadWeightsBody,
  optimStepBody,
  saveWeightsBody,
  saveWeightsForSamplerBody,
} from "../../requests/model-bodies.js";
import { readBody } from "../../requests/request-body.js";
import { createModelFromCheckpoint } from "../../state/create-model.js";
import { loadWeights } from "../../state/load-weights.js";
import { RequestRefusal } from "../../state/request-refusal.js";
import { saveWeights, saveWeightsForSampler } from "../../state/save-weights.js";
import type { ServerState } from "../../state/server-state.js";
import { runOptimStep, runPass } from "../../state/train-model.js";
import { readForwardBackwardBody, readForwardBody } from "../read-pass-body.js";

/** Endpoints of what a model does in the order of its sequence ids. Each answers at once with the id of a future. */
export function addTrainingRoutes(api: FastifyInstance, state: ServerState): void {
  api.post("/forward_backward", async (request) =>
    submitted(runPass(state, readForwardBackwardBody(request.body))),
  );
  api.post("/forward", async (request) => submitted(runPass(state, readForwardBody(request.body))));
  api.post("/optim_step", async (request) =>
    submitted(runOptimStep(state, readBody(optimStepBody, request.body))),
  );
  api.post("/save_weights", async (request) =>
    submitted(await saveWeights(state, readBody(saveWeightsBody, request.body))),
  );
  api.post("/save_weights_for_sampler", async (request) =>
    submitted(await saveWeightsForSampler(state, readBody(saveWeightsForSamplerBody, request.body))),
  );
  api.post("/load_weights", async (request) =>
    submitted(load(state, readBody(loadWeightsBody, request.body))),
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

function submitted(requestId: string): { readonly request_id: string } {
  return { request_id: requestId };
}
