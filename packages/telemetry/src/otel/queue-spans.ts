import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Context, Span, Tracer } from "@opentelemetry/api";
import {
  CHUNK_CHANNEL,
  type ChunkTrace,
  EVENT_CHANNELS,
  type QueueMessage,
  type QueueTrace,
} from "@tinkex/types";
import type { ClientMetrics } from "./client-metrics.js";
import { ATTRIBUTES, SPAN_EVENTS, SPANS } from "./conventions.js";
import { followChannel, type OpenedSpan, type SpanPorts } from "./follow-channel.js";
import type { OperationSpans } from "./operation-spans.js";
import { defined, errorType } from "./span-attributes.js";

export interface QueueSpansOptions {
  readonly tracer: Tracer;
  readonly metrics: ClientMetrics;
  readonly operations: Pick<OperationSpans, "spanOf">;
}

/** Follows the waits of requests in the service's queue. Returns what ends that, and the spans that are open. */
export function followQueue(options: QueueSpansOptions, ports: SpanPorts): () => void {
  const { tracer, metrics, operations } = options;
  const { api } = ports;
  const waits = new Map<string, Span>();
  const follower = {
    open(message: QueueTrace, parent: Context): OpenedSpan {
      const { requestId, requestType } = message;
      const attributes = { [ATTRIBUTES.requestId]: requestId, [ATTRIBUTES.requestType]: requestType };
      const span = tracer.startSpan(`${SPANS.queue} ${requestType}`, { attributes }, parent);
      waits.set(requestId, span);
      metrics.queue(message, 1);
      return { span, context: api.trace.setSpan(parent, span) };
    },
    close(message: QueueTrace, span: Span): void {
      const { requestId, service, operationId, state, error } = message;
      waits.delete(requestId);
      metrics.queue(message, -1);
      const attributes = defined({ [ATTRIBUTES.queueState]: state });
      span.setAttributes(attributes);
      operations.spanOf(service, operationId)?.setAttributes(attributes);
      if (error !== undefined) fail(ports, span, error);
    },
    leave(message: QueueTrace): void {
      metrics.queue(message, -1);
    },
  };
  const hear = (heard: unknown): void => {
    const { requestId, state, reason } = heard as QueueMessage;
    const attributes = { [ATTRIBUTES.queueState]: state, [ATTRIBUTES.queueReason]: reason };
    ports.guard(() => waits.get(requestId)?.addEvent(SPAN_EVENTS.queueState, defined(attributes)));
  };
  const leave = followChannel(EVENT_CHANNELS.queue, follower, ports);
  subscribe(EVENT_CHANNELS.queue, hear);
  return () => {
    unsubscribe(EVENT_CHANNELS.queue, hear);
    leave();
    waits.clear();
  };
}

/** Follows the requests that passes are cut into. Returns what ends that, and the spans that are open. */
export function followChunks(tracer: Tracer, ports: SpanPorts): () => void {
  const { api } = ports;
  return followChannel<ChunkTrace>(
    CHUNK_CHANNEL,
    {
      open({ endpoint, byteLength }, parent) {
        const attributes = { [ATTRIBUTES.endpoint]: endpoint, [ATTRIBUTES.chunkBytes]: byteLength };
        const span = tracer.startSpan(`${SPANS.chunk} ${endpoint}`, { attributes }, parent);
        return { span, context: api.trace.setSpan(parent, span) };
      },
      close({ requestId, error }, span) {
        span.setAttributes(defined({ [ATTRIBUTES.requestId]: requestId }));
        if (error !== undefined) fail(ports, span, error);
      },
    },
    ports,
  );
}

function fail({ api }: SpanPorts, span: Span, error: unknown): void {
  span.setAttribute(ATTRIBUTES.errorType, errorType(error));
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}
