import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Context, Span, Tracer } from "@opentelemetry/api";
import { EVENT_CHANNELS, type RequestMessage, type RequestTrace } from "@tinkex/types";
import { ATTRIBUTES, SPAN_EVENTS } from "./conventions.js";
import { type Follower, followChannel, type OpenedSpan, type SpanPorts } from "./follow-channel.js";
import { tryAttributes, tryEndAttributes } from "./span-attributes.js";
import { traceHeaders } from "./trace-parent.js";

/** Channel to which instrumentations of undici subscribe, which make spans of their own and send their `traceparent`. */
const UNDICI_CHANNEL = "undici:request:create";

export interface RequestSpansOptions {
  readonly tracer: Tracer;
  /** Sends `traceparent`; `undefined` does where nobody else instruments undici. */
  readonly propagates: boolean | undefined;
}

/** Spans of the tries of requests, a span each; a pause or a repeat is an event of the call's span. */
export class RequestSpans implements Follower<RequestTrace> {
  readonly #options: RequestSpansOptions;
  readonly #ports: SpanPorts;

  constructor(options: RequestSpansOptions, ports: SpanPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Follows all requests of the process from now on. Returns what ends that, and the spans that are open. */
  follow(): () => void {
    const leave = followChannel(EVENT_CHANNELS.request, this, this.#ports);
    const { guard } = this.#ports;
    const hear = (message: unknown): void => void guard(() => this.#hear(message as RequestMessage));
    subscribe(EVENT_CHANNELS.request, hear);
    return () => {
      unsubscribe(EVENT_CHANNELS.request, hear);
      leave();
    };
  }

  open(message: RequestTrace, parent: Context): OpenedSpan | Context {
    const { api } = this.#ports;
    // Heartbeats, and polls that calls share, are of no call: not of that either which happened to begin them.
    if (message.operationId === undefined) return api.trace.deleteSpan(parent);
    const { tracer, propagates = !channel(UNDICI_CHANNEL).hasSubscribers } = this.#options;
    const kind = propagates ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const { method, endpoint } = message;
    const attributes = { [ATTRIBUTES.endpoint]: endpoint, ...tryAttributes(message) };
    const span = tracer.startSpan(`${method} ${endpoint}`, { kind, attributes }, parent);
    if (propagates && api.isSpanContextValid(span.spanContext())) {
      message.headers = { ...message.headers, ...traceHeaders(span.spanContext()) };
    }
    return { span, context: api.trace.setSpan(parent, span) };
  }

  close(message: RequestTrace, span: Span): void {
    const attributes = tryEndAttributes(message);
    span.setAttributes(attributes);
    if (attributes[ATTRIBUTES.errorType] !== undefined) {
      span.setStatus({ code: this.#ports.api.SpanStatusCode.ERROR });
    }
  }

  #hear(message: RequestMessage): void {
    if (message.operationId === undefined) return;
    const { api, store } = this.#ports;
    const span = api.trace.getSpan(store.active);
    if (message.type === "request.retry") {
      const { attempts, outcome, delayMs, endpoint } = message;
      span?.addEvent(SPAN_EVENTS.retry, {
        [ATTRIBUTES.endpoint]: endpoint,
        [ATTRIBUTES.attempts]: attempts,
        [ATTRIBUTES.outcome]: outcome,
        [ATTRIBUTES.delayMs]: delayMs,
      });
    } else if (message.type === "request.pause") {
      const { delayMs, endpoint } = message;
      span?.addEvent(SPAN_EVENTS.pause, { [ATTRIBUTES.endpoint]: endpoint, [ATTRIBUTES.delayMs]: delayMs });
    }
  }
}
