import { RequestRefusal } from "../errors/request-refusal.js";

export interface Session {
  readonly id: string;
  /** The reason its client gave when it closed the session; nothing more is done in it then. */
  finishedBecause: string | undefined;
}

/** The sessions of clients. Silence does not end one: a debugger may hold its client for hours. */
export class SessionRegistry {
  readonly #sessions = new Map<string, Session>();
  readonly #createId: () => string;

  constructor(createId: () => string) {
    this.#createId = createId;
  }

  create(): Session {
    const session: Session = { id: this.#createId(), finishedBecause: undefined };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** @throws RequestRefusal 404 */
  find(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      throw new RequestRefusal(
        404,
        `no session ${sessionId}: open one with create_session (a restart forgets sessions)`,
      );
    }
    return session;
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
