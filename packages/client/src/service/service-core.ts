import { randomUUID } from "node:crypto";
import type { HttpTransport } from "@tinkex/base";
import type { FinishSessionRequest } from "@tinkex/types";
import { withBillingPause } from "../channel/billing-pause.js";
import { Channel } from "../channel/channel.js";
import { diagnosticsChannels } from "../events/diagnostics-channels.js";
import { EventHub } from "../events/event-hub.js";
import { ClientLifecycle } from "../future/client-lifecycle.js";
import type { ApiCallsOptions } from "../session/api-calls.js";
import { CheckpointLives } from "../session/checkpoint-lives.js";
import { finishSession, unloadModels } from "../session/finish-session.js";
import { ModelTokenizers } from "../session/model-tokenizer.js";
import { adoptSession, openSession } from "../session/open-session.js";
import { readServerProfile, type ServerProfile } from "../session/server-profile.js";
import type { SessionEnvironment } from "../session/session.js";
import { isLostSession, SessionLostError } from "../session/session-lost-error.js";
import { untilServiceIsBack } from "./resume-from.js";
import { type ServiceStats, serviceStats, transportStats } from "./service-stats.js";
import { ServiceTelemetry } from "./service-telemetry.js";
import type { ClientSettings } from "./settings.js";

/** Generation of a server that has not said what it is. */
const OLDEST_GENERATION = "0.4";

/** The parts that the clients made from one service client share: the transport, the session, the counters, and the closing. */
export class ServiceCore {
  readonly lifecycle: ClientLifecycle;
  /** Publishes what happens. */
  readonly events: EventHub;
  /** Calls wait out a 402. */
  readonly transport: HttpTransport;
  readonly checkpointLives: CheckpointLives;
  readonly #settings: ClientSettings;
  readonly #environment: SessionEnvironment;
  #server: Promise<ServerProfile> | undefined;
  #channel: Promise<Channel> | undefined;
  /** Channels of sessions that other processes have opened, by session. */
  readonly #adopted = new Map<string, Promise<Channel>>();
  /** The channels of the sessions that are not lost. */
  readonly #opened = new Set<Channel>();
  #profile: ServerProfile | undefined;
  /** `undefined` where the option turned it off. */
  readonly #telemetry: ServiceTelemetry | undefined;
  #modelCount = 0;
  #samplerCount = 0;

  constructor(settings: ClientSettings) {
    const { clock, random, logger, sdkVersion } = settings;
    this.#settings = settings;
    this.checkpointLives = new CheckpointLives(clock);
    const { baseUrl } = settings;
    const channels = diagnosticsChannels();
    this.events = new EventHub({ clock, clientId: randomUUID(), baseUrl, channels });
    if (settings.telemetry !== false) {
      this.#telemetry = new ServiceTelemetry({
        telemetry: settings.telemetry,
        env: settings.env,
        clientId: this.events.identity.clientId,
        sdkVersion,
        clock,
        logger,
        transport: settings.transport,
        waitsForBilling: settings.billing === "pause",
        generation: () => this.#profile?.generation.fields ?? OLDEST_GENERATION,
        direct: settings.direct,
      });
    }
    this.lifecycle = new ClientLifecycle("ServiceClient", "the service client", {
      clock,
      logger,
      timeoutMs: settings.timeoutMs,
      hidesSignals: settings.hidesSignals,
      events: this.events,
      failureListener: this.#telemetry,
    });
    this.transport = withBillingPause(settings.transport, {
      clock,
      logger,
      policy: settings.billing,
      maxPauseMs: () => (this.#profile?.config.billing_exception_max_pause_duration_sec ?? 3600) * 1000,
      closing: this.lifecycle.closing,
      onFailure: this.#telemetry?.requestFailed,
    });
    this.#environment = {
      transport: this.transport,
      unpausedTransport: settings.transport,
      onRepeat: this.onRepeat,
      clock,
      random,
      logger,
      sdkVersion,
      lifecycle: this.lifecycle,
      events: this.events,
      takeSamplingId: () => this.takeSamplingId(),
      checkpointLives: this.checkpointLives,
      tokenizers: new ModelTokenizers({
        own: settings.tokenizer,
        baseUrl: settings.baseUrl,
        env: settings.hubEnv,
        fetch: settings.fetch,
        logger,
        clock,
        signal: this.lifecycle.closing,
      }),
    };
  }

  /** Told of tries that failed and are followed by another, of all calls but those on the side. */
  get onRepeat(): ApiCallsOptions["onRepeat"] {
    return this.#telemetry?.requestRepeated;
  }

  /** Gives the next number of a model of the session. */
  takeModelId(): number {
    this.#modelCount += 1;
    return this.#modelCount - 1;
  }

  /** Gives the next number of a sampler of the session; unnamed sampler saves take one too. */
  takeSamplingId(): number {
    this.#samplerCount += 1;
    return this.#samplerCount - 1;
  }

  /** Asks the service what it says of itself, once. */
  server(): Promise<ServerProfile> {
    this.#server ??= readServerProfile(this.#environment, this.#settings.useTokens).then(
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

  /** The channel of the session, opened by the first one who needs it. */
  channel(): Promise<Channel> {
    this.#channel ??= this.#openChannel().catch((error: unknown) => {
      this.#channel = undefined;
      throw error;
    });
    return this.#channel;
  }

  /**
   * Makes something in the session. Where the service no longer knows that, as after a restart, it is made in a new one.
   *
   * @param make - may be called a second time
   * @param signal - says that nobody wants it any more
   * @throws SessionLostError where the service does not know the new session either
   */
  async inSession<T>(signal: AbortSignal, make: (channel: Channel) => Promise<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const channel = await this.channel();
      signal.throwIfAborted();
      try {
        return await make(channel);
      } catch (error) {
        if (!isLostSession(error, ["session"])) throw error;
        const { session } = channel;
        session.lose(error);
        signal.throwIfAborted();
        if (!isAgain) continue;
        const remedy =
          "the new session was lost too: see whether the service is being restarted, and try again";
        throw new SessionLostError(`session ${session.id}`, { remedy, cause: error });
      }
    }
  }

  /** The channel of a session that is open already: our own, or that of a client in another process. */
  async channelOf(sessionId: string): Promise<Channel> {
    const own = await this.#channel?.catch(() => undefined);
    if (own?.session.id === sessionId) return own;
    const known = this.#adopted.get(sessionId);
    if (known !== undefined) return known;
    const adopted = this.server().then((server) => {
      const channel = new Channel(adoptSession(this.#environment, server, sessionId), this.#settings);
      this.#opened.add(channel);
      channel.session.onLost(() => {
        this.#adopted.delete(sessionId);
        this.#opened.delete(channel);
      });
      return channel;
    });
    this.#adopted.set(sessionId, adopted);
    // The next one who needs it asks again.
    adopted.catch(() => this.#adopted.delete(sessionId));
    return adopted;
  }

  /** Makes something on a service that may be restarting: see {@link untilServiceIsBack}. */
  untilServiceIsBack<T>(signal: AbortSignal, patienceMs: number, attempt: () => Promise<T>): Promise<T> {
    const { clock, random, logger } = this.#settings;
    return untilServiceIsBack({ clock, random, logger, signal, patienceMs }, attempt);
  }

  /** Counts what is under way and what waits, at this moment. */
  stats(): ServiceStats {
    const { transport } = this.#settings;
    const channels = Array.from(this.#opened, (channel) => channel.stats());
    return serviceStats(this.lifecycle.size, channels, transportStats(transport));
  }

  /** The channel if one was opened, or is being opened. */
  get openedChannel(): Promise<Channel> | undefined {
    return this.#channel;
  }

  /** Tells the service that the session is over, ends what is under way, and lets all connections go. */
  async close(request: FinishSessionRequest): Promise<void> {
    this.lifecycle.close();
    try {
      await this.#flushAdopted();
      const channel = await this.#channel?.catch(() => undefined);
      if (channel === undefined) return;
      const { session, models, creations } = channel;
      await channel.flush();
      const isFinished = await finishSession(session, request);
      if (!isFinished && !session.isLost)
        await Promise.all([creations.flush(), unloadModels(session, models)]);
      creations.end();
    } finally {
      await this.closeConnections();
      this.events.end();
    }
  }

  /** Sends what telemetry waits, and lets all connections go. */
  async closeConnections(): Promise<void> {
    await this.#telemetry?.close();
    await this.transport.close();
  }

  async #openChannel(): Promise<Channel> {
    const { tags, userMetadata, sdkVersion, projectId, displayName } = this.#settings;
    const session = await openSession(this.#environment, await this.server(), {
      tags,
      user_metadata: userMetadata,
      sdk_version: sdkVersion,
      project_id: projectId,
      display_name: displayName,
    });
    this.#telemetry?.opened(session.id);
    const channel = new Channel(session, this.#settings);
    this.#opened.add(channel);
    session.onLost(() => {
      this.#channel = undefined;
      this.#opened.delete(channel);
    });
    return channel;
  }

  /** Tells the service of all results that were fetched in sessions of others, which go on without us. */
  async #flushAdopted(): Promise<void> {
    const channels = await Promise.all(
      Array.from(this.#adopted.values(), (channel) => channel.catch(() => undefined)),
    );
    await Promise.all(channels.map((channel) => channel?.flush()));
  }
}
