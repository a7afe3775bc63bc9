import { ApiStatusError, type Clock, type HttpTransport, type Logger } from "@tinkex/base";
import type { EventHub } from "../events/event-hub.js";
import type { ClientLifecycle } from "../future/client-lifecycle.js";
import { ApiCalls, type ApiCallsOptions } from "./api-calls.js";
import type { CheckpointLives } from "./checkpoint-lives.js";
import { saysLost, sendHeartbeat } from "./heartbeat.js";
import type { ModelTokenizers } from "./model-tokenizer.js";
import type { ServerProfile } from "./server-profile.js";

/** The parts of its service client that a session works with. */
export interface SessionEnvironment {
  /** Calls wait out a 402. */
  readonly transport: HttpTransport;
  /** As `transport`, without the waiting: for what is asked on the side, and for the end. */
  readonly unpausedTransport: HttpTransport;
  /** Told of tries of calls by `transport` that failed and are followed by another. */
  readonly onRepeat: ApiCallsOptions["onRepeat"];
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly sdkVersion: string;
  /** The lifecycle of the service client, whose children the other clients' are. */
  readonly lifecycle: ClientLifecycle;
  readonly events: EventHub;
  /** Gives the next number of a sampler of the session; unnamed sampler saves take one too. */
  takeSamplingId(): number;
  readonly tokenizers: ModelTokenizers;
  readonly checkpointLives: CheckpointLives;
}

/** An answer to the question whether the service knows a session. */
export type SessionState = "known" | "lost" | "in doubt";

/** An open session: its id, what the server is like, and the way to call it. */
export class Session extends ApiCalls {
  readonly id: string;
  readonly server: ServerProfile;
  readonly environment: SessionEnvironment;
  /** Calls on the side, which do not wait while the account cannot pay. */
  readonly unpaused: ApiCalls;
  /** Told once the service no longer knows the session. */
  readonly #onLost = new Set<(cause: unknown) => void>();
  #isLost = false;
  #asking: Promise<SessionState> | undefined;

  constructor(id: string, server: ServerProfile, environment: SessionEnvironment) {
    const { sdkVersion, transport, unpausedTransport, events, onRepeat } = environment;
    const generation = server.generation.fields;
    super({ transport, sdkVersion, generation, events, onRepeat });
    this.id = id;
    this.server = server;
    this.environment = environment;
    this.unpaused = new ApiCalls({ transport: unpausedTransport, sdkVersion, generation, events });
  }

  /** Tells whether the service no longer knows the session. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Calls `callback` when the session is lost. Returns what ends that, for a part that ends before the session. */
  onLost(callback: (cause: unknown) => void): () => void {
    this.#onLost.add(callback);
    return () => this.#onLost.delete(callback);
  }

  /** Notes that the service no longer knows the session: what belongs to it fails, and the next creation opens another. */
  lose(cause: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const callback of this.#onLost) callback(cause);
    this.#onLost.clear();
  }

  /**
   * Asks the service whether it knows the session, where what it says of other things leaves that open. Those who ask at one time
   * share one question. `in doubt`: it gave no answer to it.
   */
  ask(): Promise<SessionState> {
    if (this.#isLost) return Promise.resolve("lost");
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<SessionState> {
    try {
      await sendHeartbeat(this.unpaused, this.id, this.environment.lifecycle.closing);
      return "known";
    } catch (error) {
      if (!saysLost(error))
        return error instanceof ApiStatusError && error.status < 500 ? "known" : "in doubt";
      this.lose(error);
      return "lost";
    }
  }
}
