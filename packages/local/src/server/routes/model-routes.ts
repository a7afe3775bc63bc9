import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { createModel } from "../../operations/create-model.js";
import { unloadModel } from "../../operations/shutdown.js";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

/** Endpoints of models under training. */
export function addModelRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "create_model", (request) => ({ request_id: createModel(state, request) }));

  on(api, "get_info", ({ model_id: modelId }) => {
    const { adapter } = state.models.find(modelId);
    if (adapter === undefined)
      throw new RequestRefusal(404, `model ${modelId} is not there: not made yet, or unloaded`);
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

  on(api, "unload_model", ({ model_id: modelId }) => ({
    request_id: unloadModel(state, modelId),
    model_id: modelId,
  }));
}
