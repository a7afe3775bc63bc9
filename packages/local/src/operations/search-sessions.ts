import type { SessionSearchResponse, SessionSummary } from "@tinkex/types";
import type { ServerState } from "../registries/server-state.js";
import type { Session } from "../registries/session-registry.js";
import type { SessionSearchBody } from "../requests/session-search-body.js";
import { LOCAL_USER } from "./local-user.js";

/** `search_sessions`: one page of those that match, newest first. */
export async function searchSessions(
  state: ServerState,
  search: SessionSearchBody,
): Promise<SessionSearchResponse> {
  const found = state.sessions
    .all()
    .filter((session) => isFound(state, session, search))
    .sort(newestFirst)
    .filter((session) => isBehind(session, search.cursor));
  const page = found.slice(0, search.limit);
  const last = page.at(-1);
  return {
    sessions: await summaries(state, page),
    ...(last !== undefined && found.length > page.length
      ? { next_cursor: { last_created_at: createdAt(last), last_session_id: last.id } }
      : {}),
  };
}

function isFound(state: ServerState, session: Session, search: SessionSearchBody): boolean {
  const { project_ids: projects, user_metadata, owner, statuses } = search;
  const { user_metadata: metadata = {} } = session;
  return (
    isNamed(session, search) &&
    (projects?.includes(session.projectId) ?? true) &&
    Object.entries(user_metadata).every(
      ([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value,
    ) &&
    (owner?.type !== "user" || owner.owner_urns.includes(LOCAL_USER.userUrn)) &&
    (statuses?.some((wanted) => isInStatus(statusOf(state, session), wanted)) ?? true)
  );
}

/** Looks for an id and for a name at once: either may match, where both are asked for. */
function isNamed(
  { id, display_name = "" }: Session,
  { session_id, display_name: wanted }: SessionSearchBody,
): boolean {
  if (session_id === undefined && wanted === undefined) return true;
  if (session_id === id) return true;
  if (wanted === undefined) return false;
  const name = display_name.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word));
}

type Status =
  | { readonly type: "active" }
  | { readonly type: "client_finished"; readonly reason: { readonly type: string } };

/** State of a session. A client that has fallen silent may come back: it is not known to run, nor has it finished. */
function statusOf(state: ServerState, session: Session): Status | undefined {
  const { finishedBecause: type } = session;
  if (type !== undefined) return { type: "client_finished", reason: { type } };
  return state.sessions.isSilent(session) ? undefined : { type: "active" };
}

type WantedStatus = NonNullable<SessionSearchBody["statuses"]>[number];

function isInStatus(status: Status | undefined, { type, reasons }: WantedStatus): boolean {
  if (status?.type !== type) return false;
  return reasons === undefined || status.type !== "client_finished" || reasons.includes(status.reason.type);
}

function newestFirst(a: Session, b: Session): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1);
}

/** Tells whether a session stands behind the end of the page before. */
function isBehind({ createdAtMs, id }: Session, cursor: SessionSearchBody["cursor"]): boolean {
  if (cursor === undefined) return true;
  const lastMs = Date.parse(cursor.last_created_at);
  return createdAtMs < lastMs || (createdAtMs === lastMs && id < cursor.last_session_id);
}

async function summaries(state: ServerState, sessions: readonly Session[]): Promise<SessionSummary[]> {
  const runs = sessions.length === 0 ? [] : await state.runs.list();
  return Promise.all(
    sessions.map(async (session) => {
      const { id, display_name, user_metadata, projectId } = session;
      const own = runs.filter(({ session_id: sessionId }) => sessionId === id);
      const saved = await Promise.all(own.map(({ training_run_id: run }) => state.checkpoints.list(run)));
      const checkpoints = saved.flat();
      const status = statusOf(state, session);
      return {
        session_id: id,
        owner: LOCAL_USER.userUrn,
        project_id: projectId,
        created_at: createdAt(session),
        ...(status === undefined ? {} : { status }),
        checkpoints_count: checkpoints.length,
        checkpoint_storage_bytes: checkpoints.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
        ...(display_name === undefined ? {} : { display_name }),
        ...(user_metadata === undefined ? {} : { user_metadata }),
      };
    }),
  );
}

function createdAt({ createdAtMs }: Session): string {
  return new Date(createdAtMs).toISOString();
}
