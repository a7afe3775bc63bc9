import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Runtime, Session } from "../runtime/runtime.js";

/** Compiled graphs by what shapes them; each is built at its first use and kept. */
export class SessionCache {
  readonly #runtime: Runtime;
  readonly #sessions = new Map<string, Promise<Session>>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get(key: string, build: () => OnnxGraph): Promise<Session> {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const session = this.#runtime.compile(build());
    this.#sessions.set(key, session);
    // A graph that failed to compile may be tried again, e.g. once memory is free.
    session.catch(() => this.#sessions.delete(key));
    return session;
  }

  /** Frees every session; runs under way must have ended. */
  async release(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(sessions)) {
      if (session.status === "fulfilled") await session.value.release();
    }
  }
}
