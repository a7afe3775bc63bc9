import { tracingChannel } from "node:diagnostics_channel";
import type { Context, Span } from "@opentelemetry/api";
import type { ContextStore } from "./context-store.js";
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
  /** Told of what was thrown while a span was made: it must never reach the call that is traced. */
  readonly onFault: (error: unknown) => void;
}

/** Makes spans of the messages of a tracing channel. Returns what ends that, and the spans that are open. */
export function followChannel<Message extends object>(
  name: string,
  follower: Follower<Message>,
  { store, onFault }: SpanPorts,
): () => void {
  const { start, asyncEnd } = tracingChannel<Context, Message>(name);
  const open = new Map<Message, Span>();
  const begin = (message: Message): Context => {
    const parent = store.active;
    try {
      const opened = follower.open(message, parent);
      if (!("span" in opened)) return opened;
      open.set(message, opened.span);
      return opened.context;
    } catch (error) {
      onFault(error);
      return parent;
    }
  };
  const end = (message: unknown): void => {
    // The channel has messages of one type.
    const ended = message as Message;
    const span = open.get(ended);
    if (span === undefined) return;
    open.delete(ended);
    try {
      follower.close?.(ended, span);
      span.end();
    } catch (error) {
      onFault(error);
    }
  };
  start.bindStore(store, begin);
  asyncEnd.subscribe(end);
  return () => {
    start.unbindStore(store);
    asyncEnd.unsubscribe(end);
    for (const [message, span] of open) {
      follower.leave?.(message);
      span.end();
    }
    open.clear();
  };
}
