import type { TracingChannel } from "node:diagnostics_channel";
import type { Clock } from "@tinkex/base";
import type {
  ChunkTrace,
  ClientIdentity,
  ClientMessage,
  ContentMessage,
  EventChannel,
  QueueMessageBase,
  QueueTrace,
} from "@tinkex/types";
import { type ChannelPair, type DiagnosticsChannels, traced } from "./diagnostics-channels.js";

/** Receiver of the messages of one service client. */
export interface MessageReader {
  /** Must not throw. */
  read(message: ClientMessage): void;
  /** Told that no message will come any more. */
  end(): void;
}

/** Options of the hub of a service client. */
export interface EventHubOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly clientId: string;
  readonly baseUrl: string | undefined;
  /** `undefined` on a runtime that has none: then only readers hear. */
  readonly channels: DiagnosticsChannels | undefined;
}

/** One request whose work waits in the service's queue. */
export interface QueuedRequest {
  readonly operationId: number;
  readonly requestId: string;
  readonly requestType: string;
}

/** One request of a pass, before it is sent. */
export interface SentChunk {
  /** Name of its endpoint. */
  readonly name: string;
  /** Estimated bytes. */
  readonly size: number;
}

/** A chunk that the service has accepted. */
export interface SubmittedChunk {
  readonly accepted: { readonly request_id: string };
  readonly result: Promise<unknown>;
}

/**
 * Publishes what happens in one service client: to readers of its own, and on the diagnostics channels of the process. Nothing is made
 * for a message that nobody hears, so that a place that publishes asks `isHeard` first.
 */
export class EventHub {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  #identity: ClientIdentity;
  readonly #channels: DiagnosticsChannels | undefined;
  readonly #readers = new Set<MessageReader>();
  /** Spans of the service's queue that are open, by the id of the request. */
  readonly #waits = new Map<string, QueueTrace>();
  /** Channel of the spans of chunks; `undefined` on a runtime without channels. */
  readonly chunkTracing: DiagnosticsChannels["chunk"] | undefined;
  #operationCount = 0;
  #isEnded = false;

  constructor({ clock, clientId, baseUrl, channels }: EventHubOptions) {
    this.clock = clock;
    this.#identity = Object.freeze({ clientId, baseUrl, sessionId: undefined });
    this.#channels = channels;
    this.chunkTracing = channels?.chunk;
  }

  /** The service client as messages name it now. */
  get identity(): ClientIdentity {
    return this.#identity;
  }

  /** Notes the session that messages are of from now on. */
  openedSession(sessionId: string): void {
    this.#identity = Object.freeze({ ...this.#identity, sessionId });
  }

  /** Gives the number of the next call. */
  takeOperationId(): number {
    this.#operationCount += 1;
    return this.#operationCount;
  }

  /** Adds a reader of all messages. Returns what takes it out again. */
  add(reader: MessageReader): () => void {
    if (this.#isEnded) reader.end();
    else this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Tells the readers that no message will come any more. */
  end(): void {
    this.#isEnded = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  /** Tells whether anybody hears messages or spans of a channel. */
  isHeard(channel: EventChannel): boolean {
    if (this.#readers.size > 0) return true;
    const pair = this.#channels?.[channel];
    return pair !== undefined && (pair.plain.hasSubscribers || isTraced(pair.tracing));
  }

  /** The channels of a name, if anybody hears of its spans. */
  tracing(channel: EventChannel): ChannelPair["tracing"] | undefined {
    const tracing = this.#channels?.[channel].tracing;
    return tracing !== undefined && isTraced(tracing) ? tracing : undefined;
  }

  /** Publishes a message of a channel. */
  publish(channel: EventChannel, message: ClientMessage): void {
    for (const reader of this.#readers) reader.read(message);
    this.#channels?.[channel].plain.publish(message);
  }

  /** Tells whether anybody hears prompts and samples. */
  get isContentHeard(): boolean {
    return this.#channels?.content.hasSubscribers === true;
  }

  /** Publishes a prompt, or samples, to those who subscribed to contents by name. */
  publishContent(message: ContentMessage): void {
    this.#channels?.content.publish(message);
  }

  /** Submits one chunk of a pass, and follows it to its result, as a span if anybody hears of those. */
  aroundChunk<S extends SubmittedChunk>(
    operationId: number,
    { name, size }: SentChunk,
    submit: () => Promise<S>,
  ): Promise<S> {
    const tracing = this.chunkTracing;
    if (tracing === undefined || !isTraced(tracing)) return submit();
    const place = { service: this.#identity, atMs: this.clock.now(), operationId };
    const chunk: ChunkTrace = { endpoint: name, byteLength: size, requestId: undefined, ...place };
    return new Promise((resolve, reject) => {
      const followed = traced(tracing, chunk, async () => {
        const submission = await submit();
        chunk.requestId = submission.accepted.request_id;
        resolve(submission);
        await submission.result;
      });
      // Of no meaning once it was submitted: then the result has the failure.
      followed.catch(reject);
    });
  }

  /** Publishes the service's word on the place of work in its queue. */
  queueState(request: QueuedRequest, state: string, reason: string | undefined): void {
    const wait = this.#waits.get(request.requestId);
    if (wait !== undefined) wait.state = state;
    if (!this.isHeard("queue")) return;
    this.publish("queue", { type: "queue.state", ...this.#queueMessage(request), state, reason });
  }

  /** Runs the wait for a result, as a span of the queue if anybody hears of those. */
  whileQueued<T>(request: QueuedRequest, run: () => Promise<T>): Promise<T> {
    const tracing = this.tracing("queue");
    if (tracing === undefined) return run();
    const { requestId } = request;
    const wait: QueueTrace = { state: undefined, ...this.#queueMessage(request) };
    this.#waits.set(requestId, wait);
    return traced(tracing, wait, run).finally(() => this.#waits.delete(requestId));
  }

  #queueMessage({ operationId, requestId, requestType }: QueuedRequest): QueueMessageBase {
    return { service: this.#identity, atMs: this.clock.now(), operationId, requestId, requestType };
  }
}

/** Tells whether anybody hears of the spans of a tracing channel. */
export function isTraced({ start, end, asyncStart, asyncEnd, error }: TracingChannel): boolean {
  return (
    start.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers
  );
}
