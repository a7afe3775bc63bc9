import { tracingChannel } from "node:diagnostics_channel";
import type { Context, Span } from "@opentelemetry/api";
import type { ContextStore } from "./context-store.js";
import type { Guard } from "./guard.js";
import type { OtelApi } from "./load-api.js";

/** Span of a message, and the context that its work runs in. */
export interface OpenedSpan {
  readonly span: Span;
  readonly context: Context;
}

/** Rules by which the messages of a tracing channel become spans. */
export interface Follower<Message extends object> {
  /** Makes the span of a message. Work of which there is to be no span gives the context that it runs in. */
  open(message: Message, parent: Context): OpenedSpan | Context;
  /** Told once the work has settled, before its span ends. */
  close?(message: Message, span: Span): void;
  /** Told of a span that ends before its work, since nobody follows it any more. */
  leave?(message: Message): void;
}

/** The parts that all who make spans share. */
export interface SpanPorts {
  readonly api: OtelApi;
  readonly store: ContextStore;
  /** Keeps the faults of a tracer or a meter from the calls. */
  readonly guard: Guard;
}

/** Makes spans of the messages of a tracing channel. Returns what ends that, and the spans that are open. */
export function followChannel<Message extends object>(
  name: string,
  follower: Follower<Message>,
  { store, guard }: SpanPorts,
): () => void {
  const { start, asyncEnd } = tracingChannel<Context, Message>(name);
  const open = new Map<Message, Span>();
  const begin = (message: Message): Context => {
    const parent = store.active;
    const opened = guard(() => follower.open(message, parent)) ?? parent;
    if (!("span" in opened)) return opened;
    open.set(message, opened.span);
    return opened.context;
  };
  const end = (message: unknown): void => {
    // The channel has messages of one type.
    const ended = message as Message;
    const span = open.get(ended);
    if (span === undefined) return;
    open.delete(ended);
    guard(() => follower.close?.(ended, span));
    guard(() => span.end());
  };
  start.bindStore(store, begin);
  asyncEnd.subscribe(end);
  return () => {
    start.unbindStore(store);
    asyncEnd.unsubscribe(end);
    for (const [message, span] of open) {
      guard(() => follower.leave?.(message));
      guard(() => span.end());
    }
    open.clear();
  };
}
