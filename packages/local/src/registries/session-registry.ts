import type { Clock } from "@tinkex/base";
import { DEFAULT_PROJECT } from "../disk/checkpoint-record.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { SessionTimeline } from "./session-timeline.js";

/** Words of a client about its session. */
export interface SessionDescription {
  readonly display_name?: string | undefined;
  readonly user_metadata?: Readonly<Record<string, string>> | undefined;
  readonly project_id?: string | undefined;
}

export interface Session extends Omit<SessionDescription, "project_id"> {
  readonly id: string;
  readonly createdAtMs: number;
  projectId: string;
  /** The reason its client gave when it closed the session; nothing more is done in it then. */
  finishedBecause: string | undefined;
  /** Reading of the monotonic clock at the last sign of life. */
  lastSignMs: number;
}

/** Clients send a heartbeat every ten seconds. */
export const MAX_SILENCE_MS = 60_000;

/** The sessions of clients. Silence does not end one: a debugger may hold its client for hours. */
export class SessionRegistry {
  /** Work that was done in them lately. */
  readonly timeline = new SessionTimeline();
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;
  readonly #createId: () => string;

  constructor(clock: Clock, createId: () => string) {
    this.#clock = clock;
    this.#createId = createId;
  }

  create(description: SessionDescription = {}): Session {
    const {
      display_name,
      user_metadata,
      project_id = DEFAULT_PROJECT,
    } = isShort(description) ? description : {};
    const session: Session = {
      id: this.#createId(),
      createdAtMs: this.#clock.now(),
      projectId: project_id,
      display_name,
      user_metadata,
      finishedBecause: undefined,
      lastSignMs: this.#clock.monotonic(),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** All sessions, newest first. */
  list(): Session[] {
    return [...this.#sessions.values()].reverse();
  }

  /** Finds a session that somebody looks at from outside, which is no sign of life. @throws RequestRefusal 404 */
  look(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      throw new RequestRefusal(
        404,
        `no session ${sessionId}: open one with create_session (a restart forgets sessions)`,
      );
    }
    return session;
  }

  /** Finds the session of a request, which is a sign of life. @throws RequestRefusal 404 */
  find(sessionId: string): Session {
    const session = this.look(sessionId);
    session.lastSignMs = this.#clock.monotonic();
    return session;
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Tells whether no sign of life has come from a session's client for so long that it is gone, or held by a debugger. */
  isSilent({ lastSignMs }: Session): boolean {
    return this.#clock.monotonic() - lastSignMs >= MAX_SILENCE_MS;
  }

  /** A session in which work may be done. @throws RequestRefusal 404, or 400 when it was finished */
  findOpen(sessionId: string): Session {
    const session = this.find(sessionId);
    if (session.finishedBecause !== undefined) {
      throw new RequestRefusal(
        400,
        `session ${sessionId} was finished (${session.finishedBecause}); open a new one`,
      );
    }
    return session;
  }

  /** Ends a session; the first reason stays. Returns whether it was open. @throws RequestRefusal 404 */
  finish(sessionId: string, reason: string): boolean {
    const session = this.find(sessionId);
    if (session.finishedBecause !== undefined) return false;
    session.finishedBecause = reason;
    return true;
  }
}

/** Longest description that is kept, in characters: sessions stay as long as the server, and anybody may open one. */
const MAX_DESCRIPTION = 16 * 1024;

function isShort({ display_name, project_id, user_metadata = {} }: SessionDescription): boolean {
  let length = (display_name?.length ?? 0) + (project_id?.length ?? 0);
  for (const [key, value] of Object.entries(user_metadata)) length += key.length + value.length;
  return length <= MAX_DESCRIPTION;
}
