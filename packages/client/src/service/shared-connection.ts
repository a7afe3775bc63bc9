import type { ClientClass, ClientLifecycle } from "../future/client-lifecycle.js";
import type { RestContext } from "../rest/rest-context.js";
import { checkServiceOptions } from "./check-service-options.js";
import { connectionKey } from "./connection-key.js";
import { restContextOf } from "./rest-context-of.js";
import type { ServiceClientOptions } from "./service-client-options.js";
import { ServiceCore } from "./service-core.js";
import { type ClientSettings, resolveSettings } from "./settings.js";
import { type Share, SharedResources } from "./shared-resources.js";

/**
 * Options of a client that needs no session: those of a service client that do not belong to a session, or to training and sampling.
 */
export type ConnectionOptions = Omit<
  ServiceClientOptions,
  "displayName" | "userMetadata" | "tags" | "wire" | "tokenizer" | "compress" | "pollPatienceMs"
>;

/** Transport and configuration of all clients without a session that would make the same ones. */
class SharedConnection {
  readonly core: ServiceCore;
  readonly settings: ClientSettings;

  constructor(options: ConnectionOptions) {
    this.settings = resolveSettings(options);
    this.core = new ServiceCore(this.settings);
  }
}

const CONNECTIONS = new SharedResources<SharedConnection>();

/** One client's share in a connection. */
export class Connection {
  readonly context: RestContext;
  readonly #share: Share<SharedConnection>;
  readonly #lifecycle: ClientLifecycle;
  #closed: Promise<void> | undefined;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ConnectionOptions, clientClass: ClientClass, name: string) {
    checkServiceOptions(options);
    this.#share = CONNECTIONS.acquire(connectionKey(options), () => new SharedConnection(options));
    const { core, settings } = this.#share.value;
    this.#lifecycle = core.lifecycle.child(clientClass, name);
    this.context = restContextOf(core, settings, this.#lifecycle);
  }

  /** Ends this client's calls; the last one to close lets the connections go. May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#lifecycle.close();
    if (!this.#share.release()) return;
    const { core } = this.#share.value;
    core.lifecycle.close();
    await core.closeConnections();
  }
}
