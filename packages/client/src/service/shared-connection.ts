import type { ClientClass, ClientLifecycle } from "../future/client-lifecycle.js";
import type { RestContext } from "../rest/rest-context.js";
import { checkServiceOptions } from "./check-service-options.js";
import { restContextOf } from "./rest-context-of.js";
import type { ServiceClientOptions } from "./service-client-options.js";
import { ServiceCore } from "./service-core.js";
import { type ClientSettings, resolveSettings } from "./settings.js";

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
  userCount = 0;

  constructor(options: ConnectionOptions) {
    this.settings = resolveSettings(options);
    this.core = new ServiceCore(this.settings);
  }
}

/** Connections by what they were made of. Their users keep them alive, so that a client that nobody closes is no leak. */
const OPEN = new Map<string, WeakRef<SharedConnection>>();

/** One client's share in a connection. */
export class Connection {
  readonly context: RestContext;
  readonly #shared: SharedConnection;
  readonly #key: string | undefined;
  readonly #lifecycle: ClientLifecycle;
  #closed: Promise<void> | undefined;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ConnectionOptions, clientClass: ClientClass, name: string) {
    checkServiceOptions(options);
    this.#key = keyOf(options);
    this.#shared = sharedConnection(options, this.#key);
    const { core, settings } = this.#shared;
    this.#lifecycle = core.lifecycle.child(clientClass, name);
    this.context = restContextOf(core, settings, this.#lifecycle);
    this.#shared.userCount += 1;
  }

  /** Ends this client's calls; the last one to close lets the connections go. May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#lifecycle.close();
    const { core } = this.#shared;
    this.#shared.userCount -= 1;
    if (this.#shared.userCount > 0) return;
    if (this.#key !== undefined && OPEN.get(this.#key)?.deref() === this.#shared) OPEN.delete(this.#key);
    core.lifecycle.close();
    await core.transport.close();
  }
}

function sharedConnection(options: ConnectionOptions, key: string | undefined): SharedConnection {
  const open = key === undefined ? undefined : OPEN.get(key)?.deref();
  if (open !== undefined) return open;
  const made = new SharedConnection(options);
  if (key !== undefined) OPEN.set(key, new WeakRef(made));
  return made;
}

/** Beginnings of the variables that a connection depends on, in upper case. */
const READ_VARIABLES = [
  "TINKER_",
  "CLOUDFLARE_ACCESS_",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "HOME",
  "USERPROFILE",
];

/** Writes all that a connection is made of; `undefined` for options that have no such form, which are then not shared. */
function keyOf(options: ConnectionOptions): string | undefined {
  const { env = process.env, ...others } = options;
  const variables = Object.entries(env).filter(([name]) =>
    READ_VARIABLES.some((beginning) => name.toUpperCase().startsWith(beginning)),
  );
  try {
    return JSON.stringify([byName(others), byName(Object.fromEntries(variables))], (_, value: unknown) =>
      isData(value) ? value : `#${identityOf(value)}`,
    );
  } catch {
    return undefined;
  }
}

function byName(values: object): unknown {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Tells settings that are alike when they hold the same from things that are themselves alone, such as a logger. */
function isData(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "function" && typeof value !== "symbol";
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain && Object.values(value).every((each) => typeof each !== "function");
}

const IDENTITIES = new WeakMap<object, number>();
let identityCount = 0;

function identityOf(value: unknown): number {
  // Symbols are no keys of weak maps on every Node that we run on, and no option is one.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return -1;
  const known = IDENTITIES.get(value);
  if (known !== undefined) return known;
  identityCount += 1;
  IDENTITIES.set(value, identityCount);
  return identityCount;
}
