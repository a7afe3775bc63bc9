import type { FastifyInstance } from "fastify";
import type { ServerState } from "../../registries/server-state.js";

/** Seconds between two looks of a client at its dynamic configuration. */
const REFRESH_INTERVAL_SEC = 300;

/** Endpoints about the server as a whole. */
export function addServiceRoutes(api: FastifyInstance, state: ServerState): void {
  api.get("/healthz", async () => ({ status: "ok" }));

  api.get("/get_server_capabilities", async () => ({
    supported_models: state.engines.all.map(({ model }) => ({
      model_name: model.name,
      max_context_length: model.contextLength,
      trainable: true,
      sampleable: true,
      // An extension, for the tokenizer of a base model that nobody trains.
      tokenizer_id: model.directory,
    })),
  }));

  // What is not named has the SDKs' default. On loopback, compression would cost more than it saves.
  api.post("/client/config", async () => ({ pjwt_auth_enabled: false, parallel_fwdbwd_chunks: true }));

  api.post("/client/dynamic_config", async () => ({ refresh_interval_sec: REFRESH_INTERVAL_SEC }));

  // Taken and discarded: nothing that a client reports is kept.
  api.post("/telemetry", async () => ({ status: "accepted" }));
}
