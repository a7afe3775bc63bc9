import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Outputs, Runtime, Session } from "./runtime.js";
import type { Tensor } from "./tensor.js";

/** Sessions that one cache keeps: each holds a copy of the model's frozen weights. */
const defaultCapacity = 4;

/** A graph that is compiled when it runs first, and again when it runs after it had to make room for others. */
export type CachedGraph = Pick<Session, "run">;

interface Entry {
  readonly session: Promise<Session>;
  isCompiled: boolean;
  /** Runs under way, or waiting for the session. */
  runs: number;
}

/** Compiled graphs by what shapes them; the most recently used are kept. */
export class SessionCache {
  readonly #runtime: Runtime;
  readonly #capacity: number;
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();

  /** @param capacity - most sessions kept; while more run at once, there are more */
  constructor(runtime: Runtime, capacity = defaultCapacity) {
    this.#runtime = runtime;
    this.#capacity = capacity;
  }

  /**
   * @param key - equal for equal graphs; asked for again, they share a session
   * @param onCompiled - told of the milliseconds for which a run waited until the graph was compiled
   */
  graph(key: string, build: () => OnnxGraph, onCompiled: (waitedMs: number) => void = () => {}): CachedGraph {
    return { run: (feeds) => this.#run(key, build, feeds, onCompiled) };
  }

  /** Frees every session; runs under way must have ended. */
  async release(): Promise<void> {
    await this.#keep(0);
  }

  async #run(
    key: string,
    build: () => OnnxGraph,
    feeds: Readonly<Record<string, Tensor>>,
    onCompiled: (waitedMs: number) => void,
  ): Promise<Outputs> {
    const startedAtMs = performance.now();
    const entry = this.#entries.get(key) ?? this.#compile(key, build);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.runs += 1;
    try {
      const { isCompiled } = entry;
      const session = await entry.session;
      if (!isCompiled) onCompiled(performance.now() - startedAtMs);
      return await session.run(feeds);
    } finally {
      entry.runs -= 1;
      await this.#keep(this.#capacity);
    }
  }

  #compile(key: string, build: () => OnnxGraph): Entry {
    // Room is made first, so that there is never a set of weights too many.
    const session = this.#keep(this.#capacity - 1).then(() => this.#runtime.compile(build()));
    const entry: Entry = { session, isCompiled: false, runs: 0 };
    session.then(
      () => {
        entry.isCompiled = true;
      },
      () => {
        // A graph that failed to compile may be tried again, e.g. once memory is free.
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  /** Drops the least recently used sessions beyond `count`, but none that runs. */
  async #keep(count: number): Promise<void> {
    const idle = [...this.#entries].filter(([, { runs }]) => runs === 0);
    const dropped = idle.slice(0, Math.max(0, this.#entries.size - count));
    for (const [key] of dropped) this.#entries.delete(key);
    for (const [, { session }] of dropped) await (await session).release();
  }
}
