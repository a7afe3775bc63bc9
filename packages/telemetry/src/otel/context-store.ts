import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "@opentelemetry/api";
import type { OtelApi } from "./load-api.js";

/**
 * Carries the context of our spans through the client's asynchronous work. Whoever runs in it has the same context as OpenTelemetry's
 * active one, so that the spans of other instrumentations, such as that of undici, become children of ours. It works as well where
 * the program has registered no context manager, and only gave a tracer.
 */
export class ContextStore extends AsyncLocalStorage<Context> {
  readonly #api: OtelApi;

  constructor(api: OtelApi) {
    super();
    this.#api = api;
  }

  /** The context that a new span belongs to. */
  get active(): Context {
    const active = this.#api.context.active();
    return this.#api.trace.getSpan(active) === undefined ? (this.getStore() ?? active) : active;
  }

  /** Node's channels call this for a store that is bound to them. */
  override run<R, Arguments extends unknown[]>(
    context: Context,
    callback: (...given: Arguments) => R,
    ...given: Arguments
  ): R {
    return super.run(context, () => this.#api.context.with(context, () => callback(...given)));
  }
}
