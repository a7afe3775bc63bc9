import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { finishSession } from "../../operations/shutdown.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody, requestBody } from "../../requests/request-body.js";
import { createSessionBody, heartbeatBody } from "../../requests/session-bodies.js";

const finishBody = requestBody({ reason: requestBody({ type: z.string().default("success") }).optional() });

/** Endpoints of sessions: opened, kept warm by heartbeats, finished. */
export function addSessionRoutes(api: FastifyInstance, state: ServerState): void {
  api.post("/create_session", async (request) => {
    readBody(createSessionBody, request.body);
    return { session_id: state.sessions.create().id, type: "create_session" };
  });

  api.post("/session_heartbeat", async (request) => {
    const { session_id: sessionId } = readBody(heartbeatBody, request.body);
    if (state.sessions.find(sessionId).finishedBecause !== undefined) {
      throw new RequestRefusal(410, `Session ${sessionId} was finished.`);
    }
    return { type: "session_heartbeat" };
  });

  api.post<{ Params: { session: string } }>("/sessions/:session/finish", async (request, reply) => {
    const { reason } = readBody(finishBody, request.body);
    await finishSession(state, request.params.session, reason?.type ?? "success");
    return reply.code(204).send();
  });
}
