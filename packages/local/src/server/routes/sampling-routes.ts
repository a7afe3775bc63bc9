import type { FastifyInstance } from "fastify";
import { createSampler } from "../../operations/create-sampler.js";
import { runSample } from "../../operations/run-sample.js";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

/** Endpoints of sampling sessions. */
export function addSamplingRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "create_sampling_session", async (request) => {
    const sampler = await createSampler(state, request);
    return { sampling_session_id: sampler.id, type: "create_sampling_session" };
  });

  on(api, "join_sampling_session", async ({ sampling_session_id: samplerId }) => {
    const { sessionId } = await state.samplers.find(samplerId);
    state.sessions.findOpen(sessionId);
    return { client_counter: state.samplers.join(samplerId), type: "join_sampling_session" };
  });

  on(api, "asample", (request) => runSample(state, request));

  on(api, "get_sampler", async (_, { parameters }) => {
    const { id, engine, modelPath } = await state.samplers.find(parameters.sampler);
    return {
      sampler_id: id,
      base_model: engine.model.name,
      ...(modelPath === undefined ? {} : { model_path: modelPath }),
    };
  });
}
