import { type ApiGeneration, ENDPOINTS, type EndpointName } from "@tinkex/types";
import { PROTOBUF_TYPE } from "@tinkex/wire";
import type { FastifyInstance } from "fastify";
import { contentTypeRefusal } from "./parse-bodies.js";

/** The generations, oldest first. */
export const GENERATIONS = ["0.4", "0.25", "0.38"] as const satisfies readonly ApiGeneration[];

/** Endpoints that later servers do not have any more, with the last generation that had them. */
const LAST_GENERATIONS: { readonly [Name in EndpointName]?: ApiGeneration } = {
  forward: "0.25",
  unload_model: "0.25",
  get_checkpoint_archive: "0.25",
};

/** Fields of answers that came with a later generation, and without which an older client or server gets along. */
const LATER_FIELDS: { readonly [Name in EndpointName]?: readonly string[] } = {
  asample: ["sample_sequence_ids"],
  client_config: ["sample_use_retrieve_futures", "custom_loss_server_side"],
  get_info: ["optimizer_config"],
  weights_info: ["optimizer_config"],
};

/**
 * Makes a server behave as one of an earlier generation, or as the newest alone: endpoints of others are not there, plain JSON is all
 * that the oldest reads and writes, and the newest fields are left out by those before it.
 */
export function addGeneration(app: FastifyInstance, generation: ApiGeneration): void {
  if (generation === "0.4") {
    app.addHook("onRequest", async ({ headers }) => {
      const type = headers["content-type"];
      if (type?.includes(PROTOBUF_TYPE) === true) throw contentTypeRefusal(type);
      headers.accept = "application/json";
    });
  }
  app.addHook("preHandler", (request, reply, done) => {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined || isServed(endpoint, generation)) done();
    else reply.callNotFound();
  });
  if (generation === "0.38") return;
  app.addHook("preSerialization", async ({ routeOptions: { config } }, _reply, payload) => {
    const fields = config.endpoint === undefined ? undefined : LATER_FIELDS[config.endpoint];
    if (fields === undefined || typeof payload !== "object" || payload === null) return payload;
    return Object.fromEntries(Object.entries(payload).filter(([field]) => !fields.includes(field)));
  });
}

function isServed(name: EndpointName, generation: ApiGeneration): boolean {
  const place = GENERATIONS.indexOf(generation);
  const last = LAST_GENERATIONS[name] ?? "0.38";
  return GENERATIONS.indexOf(ENDPOINTS[name].since) <= place && place <= GENERATIONS.indexOf(last);
}
