import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

/** Seconds between two looks of a client at its dynamic configuration. */
const REFRESH_INTERVAL_SEC = 300;

/** Endpoints about the server as a whole. @param hasTokens - clients are to take a token for their key */
export function addServiceRoutes(api: FastifyInstance, state: ServerState, hasTokens: boolean): void {
  on(api, "healthz", () => {
    for (const { model, fault } of state.engines.all) {
      if (fault !== undefined) throw new RequestRefusal(503, `engine of ${model.name}: ${fault}`);
    }
    return { status: "ok" };
  });

  on(api, "get_server_capabilities", () => ({
    supported_models: state.engines.all.map(({ model }) => ({
      model_name: model.name,
      max_context_length: model.contextLength,
      trainable: true,
      sampleable: true,
      // An extension, for the tokenizer of a base model that nobody trains.
      tokenizer_id: model.directory,
      ...(model.weights !== "float32" && { weights: model.weights }),
      ...(model.name === state.engines.standIn && { stands_in: true }),
    })),
  }));

  // A field that is not named has the SDKs' default. On loopback, compression would cost more than it saves.
  on(api, "client_config", () => ({
    pjwt_auth_enabled: hasTokens,
    parallel_fwdbwd_chunks: true,
    sample_use_retrieve_futures: true,
    sample_join_sampling_session: true,
    custom_loss_server_side: true,
  }));

  on(api, "client_dynamic_config", () => ({
    refresh_interval_sec: REFRESH_INTERVAL_SEC,
    sample_cancel_enabled: true,
  }));

  // Goes nowhere else: a program that runs the server may look at it.
  on(api, "telemetry", (_, { body }) => {
    state.telemetry.add(body);
    return { status: "accepted" };
  });
}
