import type { FastifyInstance } from "fastify";
import { createSampler } from "../../operations/create-sampler.js";
import { runSample } from "../../operations/run-sample.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody } from "../../requests/request-body.js";
import { sampleBody } from "../../requests/sample-body.js";
import { createSamplingSessionBody } from "../../requests/session-bodies.js";

/** Endpoints of sampling sessions. */
export function addSamplingRoutes(api: FastifyInstance, state: ServerState): void {
  api.post("/create_sampling_session", async (request) => {
    const sampler = await createSampler(state, readBody(createSamplingSessionBody, request.body));
    return { sampling_session_id: sampler.id, type: "create_sampling_session" };
  });

  api.post("/asample", async (request) => runSample(state, readBody(sampleBody, request.body)));

  api.get<{ Params: { sampler: string } }>("/samplers/:sampler", async (request) => {
    const { id, engine, modelPath } = await state.samplers.find(request.params.sampler);
    return { sampler_id: id, base_model: engine.model.name, model_path: modelPath };
  });
}
