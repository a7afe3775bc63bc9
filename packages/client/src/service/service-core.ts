import { ClosedError, type HttpTransport, type WaitLimits } from "@tinkex/base";
import { withBillingPause } from "../channel/billing-pause.js";
import { ApiFuture } from "../future/api-future.js";
import { LiveOperations } from "../future/live-operations.js";
import type { FutureWork } from "../future/operation-context.js";
import { openSession } from "../session/open-session.js";
import { readServerProfile, type ServerProfile } from "../session/server-profile.js";
import type { Session } from "../session/session.js";
import { SequenceCounter } from "../training/sequence-counter.js";
import type { ClientSettings } from "./settings.js";

/** What the clients made from one service client share: the transport, the session, the counters, and the closing. */
export class ServiceCore {
  readonly settings: ClientSettings;
  /** Calls wait out a 402. */
  readonly transport: HttpTransport;
  /** As `transport`, without the waiting: for what is asked on the side, and for the end. */
  readonly unpausedTransport: HttpTransport;
  readonly live = new LiveOperations();
  /** Numbers of the session's models. */
  readonly modelIds = new SequenceCounter(0);
  /** Numbers of the session's samplers, those of unnamed sampler saves included. */
  readonly samplingIds = new SequenceCounter(0);
  readonly #closing = new AbortController();
  #server: Promise<ServerProfile> | undefined;
  #session: Promise<Session> | undefined;
  #profile: ServerProfile | undefined;

  constructor(settings: ClientSettings) {
    this.settings = settings;
    this.unpausedTransport = settings.transport;
    this.transport = withBillingPause(settings.transport, {
      clock: settings.clock,
      logger: settings.logger,
      policy: settings.billing,
      maxPauseMs: () => (this.#profile?.config.billing_exception_max_pause_duration_sec ?? 3600) * 1000,
      closing: this.#closing.signal,
    });
  }

  /** Aborts when the service client closes, for what runs in the background. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** What the service says of itself, asked once. */
  server(): Promise<ServerProfile> {
    this.#server ??= readServerProfile(this).then(
      (profile) => {
        this.#profile = profile;
        return profile;
      },
      (error: unknown) => {
        // The next one who needs it asks again.
        this.#server = undefined;
        throw error;
      },
    );
    return this.#server;
  }

  /** The session, opened by the first one who needs it. */
  session(): Promise<Session> {
    this.#session ??= this.server()
      .then((server) => openSession(this, server))
      .catch((error: unknown) => {
        this.#session = undefined;
        throw error;
      });
    return this.#session;
  }

  /** The session if one was opened, or is being opened. */
  get openedSession(): Promise<Session> | undefined {
    return this.#session;
  }

  /** Runs an operation behind a future. `name` is what messages call it. */
  start<T>(name: string, limits: WaitLimits, run: (work: FutureWork) => Promise<T>): ApiFuture<T> {
    const { clock, logger } = this.settings;
    return new ApiFuture(name, { clock, logger, live: this.live }, limits, run);
  }

  /** @throws ClosedError once `end` was called */
  checkOpen(): void {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
  }

  /** Ends all operations and all background work with `ClosedError`. */
  end(): void {
    const reason = new ClosedError("the service client is closed");
    this.#closing.abort(reason);
    this.live.endAll(reason);
  }
}
