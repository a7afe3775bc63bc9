import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { assignProject } from "../../operations/assign-project.js";
import { searchSessions } from "../../operations/search-sessions.js";
import { finishSession } from "../../operations/shutdown.js";
import type { ServerState } from "../../registries/server-state.js";
import { pageOf } from "../../requests/page.js";
import { readBody } from "../../requests/request-body.js";
import { on } from "../on-endpoint.js";

const sessionsPage = pageOf(20);

/** Endpoints of sessions: opened, kept warm by heartbeats, listed, searched, moved to projects, finished. */
export function addSessionRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "create_session", (description) => ({
    session_id: state.sessions.create(description).id,
    type: "create_session",
  }));

  on(api, "session_heartbeat", ({ session_id: sessionId }) => {
    if (state.sessions.find(sessionId).finishedBecause !== undefined) {
      throw new RequestRefusal(410, `session ${sessionId} is finished; create another one`);
    }
    return { type: "session_heartbeat" };
  });

  on(api, "list_sessions", (_, { query }) => {
    const { limit, offset } = readBody(sessionsPage, query, "query");
    const sessions = state.sessions.list().slice(offset, offset + limit);
    return { sessions: sessions.map(({ id }) => id) };
  });

  on(api, "get_session", async (_, { parameters }) => {
    const { id, display_name, user_metadata } = state.sessions.look(parameters.session);
    const runs = (await state.runs.list()).filter(({ session_id: sessionId }) => sessionId === id);
    return {
      training_run_ids: runs.map(({ training_run_id: runId }) => runId).reverse(),
      sampler_ids: state.samplers.idsOf(id),
      ...(display_name === undefined ? {} : { display_name }),
      ...(user_metadata === undefined ? {} : { user_metadata }),
    };
  });

  on(api, "search_sessions", (search) => searchSessions(state, search));

  on(api, "set_session_project", ({ project_id: projectId }, { parameters }) =>
    assignProject(state, parameters.session, projectId),
  );

  on(api, "finish_session", async ({ reason }, { parameters }) => {
    await finishSession(state, parameters.session, reason?.type ?? "success");
  });
}
