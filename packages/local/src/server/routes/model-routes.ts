import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { createModel } from "../../operations/create-model.js";
import { unloadModel } from "../../operations/shutdown.js";
import type { ServerState } from "../../registries/server-state.js";
import { createModelBody, modelBody } from "../../requests/model-bodies.js";
import { readBody } from "../../requests/request-body.js";

/** Endpoints of models under training. */
export function addModelRoutes(api: FastifyInstance, state: ServerState): void {
  api.post("/create_model", async (request) => ({
    request_id: createModel(state, readBody(createModelBody, request.body)),
  }));

  api.post("/get_info", async (request) => {
    const { model_id: modelId } = readBody(modelBody, request.body);
    const { adapter } = state.models.find(modelId);
    if (adapter === undefined)
      throw new RequestRefusal(404, `Model ${modelId} is not there: not made yet, or unloaded.`);
    const { name, architecture, directory } = adapter.engine.model;
    return {
      type: "get_info",
      // Tokenizer loaders take a directory as well as a name, and this one is on the same machine.
      model_data: { arch: architecture, model_name: name, tokenizer_id: directory },
      model_id: modelId,
      is_lora: true,
      lora_rank: adapter.shape.rank,
      model_name: name,
      optimizer_config: { type: "adamw" },
    };
  });

  api.post("/unload_model", async (request) => {
    const { model_id: modelId } = readBody(modelBody, request.body);
    return { request_id: unloadModel(state, modelId), model_id: modelId };
  });
}
