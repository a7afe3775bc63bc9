import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Context, Span, Tracer } from "@opentelemetry/api";
import { errorMessage } from "@tinkex/base";
import {
  type ClientIdentity,
  CONTENT_CHANNEL,
  type ContentMessage,
  EVENT_CHANNELS,
  type OperationTrace,
} from "@tinkex/types";
import type { ClientMetrics } from "./client-metrics.js";
import { contentAttributes, type Decode } from "./content-attributes.js";
import { ATTRIBUTES } from "./conventions.js";
import { type Follower, followChannel, type OpenedSpan, type SpanPorts } from "./follow-channel.js";
import { errorType, givenAttributes, isSample, operationName, outcomeAttributes } from "./span-attributes.js";
import { TrainingSteps } from "./training-steps.js";

export interface OperationSpansOptions {
  readonly tracer: Tracer;
  readonly metrics: ClientMetrics;
  /** Prompts, samples and the words of errors become attributes. */
  readonly hasContent: boolean;
  readonly decode: Decode | undefined;
  readonly nowMs: () => number;
}

/** Spans of the calls of clients, and those of the training steps that they make up. */
export class OperationSpans implements Follower<OperationTrace> {
  readonly #options: OperationSpansOptions;
  readonly #ports: SpanPorts;
  readonly #steps: TrainingSteps;
  readonly #open = new Map<string, { readonly span: Span; readonly startedAtMs: number }>();

  constructor(options: OperationSpansOptions, ports: SpanPorts) {
    const { tracer, nowMs, metrics } = options;
    this.#options = options;
    this.#ports = ports;
    const onStep = metrics.step.bind(metrics);
    this.#steps = new TrainingSteps({ api: ports.api, tracer, nowMs, onStep, guard: ports.guard });
  }

  /** Follows all calls of the process from now on. Returns what ends that, and the spans that are open. */
  follow(): () => void {
    const leave = followChannel(EVENT_CHANNELS.operation, this, this.#ports);
    const hear = (message: unknown): void => this.#hearContent(message as ContentMessage);
    if (this.#options.hasContent) subscribe(CONTENT_CHANNEL, hear);
    return () => {
      if (this.#options.hasContent) unsubscribe(CONTENT_CHANNEL, hear);
      leave();
      this.#steps.end();
      this.#open.clear();
    };
  }

  /** The span of a call that has not settled. */
  spanOf(service: ClientIdentity, operationId: number): Span | undefined {
    return this.#open.get(keyOf(service, operationId))?.span;
  }

  open(message: OperationTrace, parent: Context): OpenedSpan {
    const { api } = this.#ports;
    const { tracer, nowMs } = this.#options;
    const { operation, service } = message;
    const kind = isSample(operation) ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const below = this.#steps.join(message, parent);
    const attributes = givenAttributes(message);
    let span: Span;
    try {
      span = tracer.startSpan(operationName(operation), { kind, attributes }, below);
    } catch (error) {
      // Nobody follows it to its end, for which its step would wait.
      this.#steps.leave(message);
      throw error;
    }
    this.#open.set(keyOf(service, operation.operationId), { span, startedAtMs: nowMs() });
    return { span, context: api.trace.setSpan(below, span) };
  }

  close(message: OperationTrace, span: Span): void {
    const { operation, service, error } = message;
    const { metrics, nowMs } = this.#options;
    const key = keyOf(service, operation.operationId);
    const durationMs = nowMs() - (this.#open.get(key)?.startedAtMs ?? nowMs());
    this.#open.delete(key);
    this.#ports.guard(() => this.#describe(message, span));
    metrics.operation(message, durationMs / 1000);
    if (operation.method === "trainStep" && error === undefined) metrics.step(message, durationMs / 1000);
    this.#steps.settled(message);
  }

  #describe(message: OperationTrace, span: Span): void {
    const { error } = message;
    span.setAttributes(outcomeAttributes(message));
    if (error === undefined) return;
    span.setAttribute(ATTRIBUTES.errorType, errorType(error));
    // The words of an error may quote a prompt.
    const words = this.#options.hasContent ? { message: errorMessage(error) } : {};
    span.setStatus({ code: this.#ports.api.SpanStatusCode.ERROR, ...words });
  }

  #hearContent(message: ContentMessage): void {
    this.#ports.guard(() => {
      const span = this.spanOf(message.service, message.operationId);
      span?.setAttributes(contentAttributes(message, this.#options.decode));
    });
  }
}

function keyOf({ clientId }: ClientIdentity, operationId: number): string {
  return `${clientId} ${operationId}`;
}
