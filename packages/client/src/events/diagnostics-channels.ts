import type { Channel, TracingChannel } from "node:diagnostics_channel";
import { CHUNK_CHANNEL, CONTENT_CHANNEL, EVENT_CHANNELS, type EventChannel } from "@tinkex/types";

/** The two channels of one name: messages go to the plain one, spans to the tracing one. */
export interface ChannelPair {
  readonly plain: Channel;
  readonly tracing: TracingChannel;
}

/** The channels of {@link EVENT_CHANNELS}, chunks and contents, which all clients of the process share. */
export interface DiagnosticsChannels extends Readonly<Record<EventChannel, ChannelPair>> {
  /** Spans of the requests of a pass. */
  readonly chunk: TracingChannel;
  /** Prompts and samples, which no other channel has. */
  readonly content: Channel;
}

type DiagnosticsModule = Pick<typeof import("node:diagnostics_channel"), "channel" | "tracingChannel">;

let shared: { readonly channels: DiagnosticsChannels | undefined } | undefined;

/** Gives the channels of the process; `undefined` on a runtime without `node:diagnostics_channel`, where only `events()` hears. */
export function diagnosticsChannels(): DiagnosticsChannels | undefined {
  shared ??= { channels: channelsOf(loadModule(globalThis.process)) };
  return shared.channels;
}

/** Makes the channels of a module. @param module - `undefined` where the runtime has none */
export function channelsOf(module: DiagnosticsModule | undefined): DiagnosticsChannels | undefined {
  if (typeof module?.tracingChannel !== "function") return undefined;
  const pair = (name: string): ChannelPair => ({
    plain: module.channel(name),
    tracing: module.tracingChannel(name),
  });
  return {
    operation: pair(EVENT_CHANNELS.operation),
    request: pair(EVENT_CHANNELS.request),
    queue: pair(EVENT_CHANNELS.queue),
    chunk: module.tracingChannel(CHUNK_CHANNEL),
    content: module.channel(CONTENT_CHANNEL),
  };
}

/**
 * Loads the module without an import, which would fail to link on a runtime that lacks it.
 *
 * @param runtime - the global `process`, as far as there is one
 */
export function loadModule(
  runtime: Partial<Pick<NodeJS.Process, "getBuiltinModule">> | undefined,
): DiagnosticsModule | undefined {
  try {
    return runtime?.getBuiltinModule?.("node:diagnostics_channel");
  } catch {
    // A runtime that knows the function and not the module.
    return undefined;
  }
}

/**
 * Runs work as a span of a tracing channel, in the order of Node's own `tracePromise`, and within the stores that are bound to its
 * `start`. The result is kept out of the message: it would hold tokens.
 */
export function traced<T>(
  { start, end, asyncStart, asyncEnd, error }: TracingChannel,
  message: { error?: unknown },
  run: () => Promise<T>,
): Promise<T> {
  const settled = (): void => {
    asyncStart.publish(message);
    asyncEnd.publish(message);
  };
  return start.runStores(message, () => {
    const running = run().then(
      (value) => {
        settled();
        return value;
      },
      (failure: unknown) => {
        message.error = failure;
        error.publish(message);
        settled();
        throw failure;
      },
    );
    end.publish(message);
    return running;
  });
}
