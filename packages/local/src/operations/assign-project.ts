import { RequestRefusal } from "../errors/request-refusal.js";
import type { ServerState } from "../registries/server-state.js";

/** Longest id of a project that is kept, in characters: it stands in the record of every run. */
const MAX_PROJECT_ID = 1024;

/** Moves a session to a project, with the runs that it has made, on the disk too. @throws RequestRefusal 400, 404 */
export async function assignProject(state: ServerState, sessionId: string, projectId: string): Promise<void> {
  checkProjectId(projectId);
  const session = state.sessions.look(sessionId);
  // Runs that are recorded from now on are of the new project by themselves.
  session.projectId = projectId;
  for (const run of await state.runs.list()) {
    if (run.session_id === sessionId) await state.runs.save({ ...run, project_id: projectId });
  }
}

/** @throws RequestRefusal 400 */
export function checkProjectId(projectId: string): void {
  if (projectId === "" || projectId.length > MAX_PROJECT_ID) {
    throw new RequestRefusal(
      400,
      `the id of a project must have 1 to ${MAX_PROJECT_ID} characters, got ${projectId.length}`,
    );
  }
}
