import type { HttpTransport } from "@tinkex/base";
import { withBillingPause } from "../channel/billing-pause.js";
import { Channel } from "../channel/channel.js";
import { ClientLifecycle } from "../future/client-lifecycle.js";
import { ModelTokenizers } from "../session/model-tokenizer.js";
import { openSession } from "../session/open-session.js";
import { SequenceCounter } from "../session/sequence-counter.js";
import { readServerProfile, type ServerProfile } from "../session/server-profile.js";
import type { SessionEnvironment } from "../session/session.js";
import type { ClientSettings } from "./settings.js";

/** The parts that the clients made from one service client share: the transport, the session, the counters, and the closing. */
export class ServiceCore {
  readonly lifecycle: ClientLifecycle;
  /** Calls wait out a 402. */
  readonly transport: HttpTransport;
  /** Numbers of the session's models. */
  readonly modelIds = new SequenceCounter(0);
  /** Numbers of the session's samplers, those of unnamed sampler saves included. */
  readonly samplingIds = new SequenceCounter(0);
  readonly #settings: ClientSettings;
  readonly #environment: SessionEnvironment;
  #server: Promise<ServerProfile> | undefined;
  #channel: Promise<Channel> | undefined;
  #profile: ServerProfile | undefined;

  constructor(settings: ClientSettings) {
    const { clock, random, logger, sdkVersion } = settings;
    this.#settings = settings;
    this.lifecycle = new ClientLifecycle("ServiceClient", "the service client", { clock, logger });
    this.transport = withBillingPause(settings.transport, {
      clock,
      logger,
      policy: settings.billing,
      maxPauseMs: () => (this.#profile?.config.billing_exception_max_pause_duration_sec ?? 3600) * 1000,
      closing: this.lifecycle.closing,
    });
    this.#environment = {
      transport: this.transport,
      unpausedTransport: settings.transport,
      clock,
      random,
      logger,
      sdkVersion,
      lifecycle: this.lifecycle,
      samplingIds: this.samplingIds,
      tokenizers: new ModelTokenizers(settings.tokenizer, settings.baseUrl),
    };
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

  /** The channel if one was opened, or is being opened. */
  get openedChannel(): Promise<Channel> | undefined {
    return this.#channel;
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
    return new Channel(session, this.#settings);
  }
}
