import { checkArray, describeKind, describeValue, onAbort, ValidationError } from "@tinkex/base";
import { type ClientMessage, type DroppedMessages, EVENT_CHANNELS } from "@tinkex/types";
import { type EventsOptions, MessageStream } from "../events/message-stream.js";
import { checkOptions } from "../inputs/call-options.js";
import { eventHubOf, ServiceClient } from "./service-client.js";

const EVENTS_OPTIONS: Readonly<Record<keyof EventsOptions, true>> = {
  channels: true,
  maxBuffered: true,
  signal: true,
};
const DEFAULT_MAX_BUFFERED = 1_000;

/**
 * Reads what happens in one service client and the clients made from it: calls, requests and their repeats, places in the service's
 * queue, tokens, metrics, checkpoints. The stream begins with the call, and ends when the client is closed, the loop is left, or the
 * signal aborts. It keeps no process alive, and delays no call: a reader that is too slow loses messages, and is told how many.
 *
 * Calls that were made before are not in it. The same messages go to the diagnostics channels `tinkex:operation`, `tinkex:request`
 * and `tinkex:queue` of the process, for all service clients.
 *
 * @param options - `channels`, `maxBuffered` (1,000 by default), `signal`
 * @throws ValidationError at the call
 *
 * @example
 * for await (const message of events(service, { channels: ["operation"] })) {
 *   if (message.type === "operation.metrics") console.log(message.metrics);
 * }
 */
export function events(
  service: ServiceClient,
  options: EventsOptions = {},
): AsyncIterableIterator<ClientMessage | DroppedMessages, void, undefined> {
  if (!(service instanceof ServiceClient)) {
    throw new ValidationError(`events: service must be a ServiceClient, got ${describeKind(service)}`, {
      path: ["service"],
    });
  }
  checkOptions<EventsOptions>(options, EVENTS_OPTIONS, "events");
  const { channels, maxBuffered = DEFAULT_MAX_BUFFERED, signal } = options;
  if (channels !== undefined) {
    checkArray(channels, "events: channels");
    for (const [index, channel] of channels.entries()) {
      if (typeof channel === "string" && Object.hasOwn(EVENT_CHANNELS, channel)) continue;
      const known = Object.keys(EVENT_CHANNELS).join(", ");
      throw new ValidationError(
        `events: channels[${index}] must be one of ${known}, got ${describeValue(channel)}`,
        { path: ["channels", index] },
      );
    }
  }
  if (!Number.isInteger(maxBuffered) || maxBuffered < 1) {
    throw new ValidationError(
      `events: maxBuffered must be a whole number of 1 or more, got ${describeValue(maxBuffered)}`,
      { path: ["maxBuffered"] },
    );
  }
  const stream = new MessageStream(eventHubOf(service), channels, maxBuffered);
  if (signal?.aborted) stream.end();
  else if (signal !== undefined) stream.onEnd(onAbort(signal, () => stream.end()));
  return stream;
}
