import type { FastifyInstance } from "fastify";
import { createLoss } from "../../operations/create-loss.js";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

/** The endpoint of losses that are graphs. Its bodies must have been read with floats told from integers. */
export function addLossRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "create_custom_loss", (request) => ({ request_id: createLoss(state, request) }));
}
