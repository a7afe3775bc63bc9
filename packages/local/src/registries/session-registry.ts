import type { Clock } from "@tinkex/base";
import { RequestRefusal } from "../errors/request-refusal.js";

export interface Session {
  readonly id: string;
  /** The reason its client gave when it closed the session; nothing more is done in it then. */
  finishedBecause: string | undefined;
  /** Reading of the monotonic clock at the last sign of life. */
  lastSignMs: number;
}

/** The sessions of clients. Silence does not end one: a debugger may hold its client for hours. */
export class SessionRegistry {
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;
  readonly #createId: () => string;

  constructor(clock: Clock, createId: () => string) {
    this.#clock = clock;
    this.#createId = createId;
  }

  create(): Session {
    const session: Session = {
      id: this.#createId(),
      finishedBecause: undefined,
      lastSignMs: this.#clock.monotonic(),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Finds the session of a request, which is a sign of life. @throws RequestRefusal 404 */
  find(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      throw new RequestRefusal(
        404,
        `no session ${sessionId}: open one with create_session (a restart forgets sessions)`,
      );
    }
    session.lastSignMs = this.#clock.monotonic();
    return session;
  }

  all(): Session[] {
    return [...this.#sessions.values()];
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
