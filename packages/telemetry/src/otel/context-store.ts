import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "@opentelemetry/api";
import type { Guard } from "./guard.js";
import type { OtelApi } from "./load-api.js";

/**
 * Carries the context of our spans through the client's asynchronous work. Whoever runs in it has the same context as OpenTelemetry's
 * active one, so that the spans of other instrumentations, such as that of undici, become children of ours. It works as well where
 * the program has registered no context manager, and only gave a tracer.
 */
export class ContextStore extends AsyncLocalStorage<Context> {
  readonly #api: OtelApi;
  readonly #guard: Guard;

  constructor(api: OtelApi, guard: Guard) {
    super();
    this.#api = api;
    this.#guard = guard;
  }

  /** The context that a new span belongs to. */
  get active(): Context {
    const own = this.getStore();
    const found = this.#guard(() => {
      const active = this.#api.context.active();
      return this.#api.trace.getSpan(active) === undefined ? (own ?? active) : active;
    });
    return found ?? own ?? this.#api.ROOT_CONTEXT;
  }

  /** Node's channels call this for a store that is bound to them. A context manager that fails keeps no call from its work. */
  override run<R, Arguments extends unknown[]>(
    context: Context,
    callback: (...given: Arguments) => R,
    ...given: Arguments
  ): R {
    return super.run(context, () => {
      let outcome: { readonly value: R } | { readonly error: unknown } | undefined;
      const work = (): void => {
        try {
          outcome = { value: callback(...given) };
        } catch (error) {
          outcome = { error };
        }
      };
      this.#guard(() => this.#api.context.with(context, work));
      if (outcome === undefined) return callback(...given);
      if ("error" in outcome) throw outcome.error;
      return outcome.value;
    });
  }
}
