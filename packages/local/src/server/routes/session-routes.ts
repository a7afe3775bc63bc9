import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { finishSession } from "../../operations/shutdown.js";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

/** Endpoints of sessions: opened, kept warm by heartbeats, finished. */
export function addSessionRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "create_session", () => ({ session_id: state.sessions.create().id, type: "create_session" }));

  on(api, "session_heartbeat", ({ session_id: sessionId }) => {
    if (state.sessions.find(sessionId).finishedBecause !== undefined) {
      throw new RequestRefusal(410, `session ${sessionId} is finished; create another one`);
    }
    return { type: "session_heartbeat" };
  });

  on(api, "finish_session", async ({ reason }, { parameters }) => {
    await finishSession(state, parameters.session, reason?.type ?? "success");
  });
}
