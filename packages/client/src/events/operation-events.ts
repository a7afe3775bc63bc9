import { AbortedError, ApiStatusError, ClosedError, RequestFailedError, TinkexError } from "@tinkex/base";
import type {
  ContentMessage,
  FailureInfo,
  OperationInfo,
  OperationMessageBase,
  OperationOutcome,
  OperationTrace,
} from "@tinkex/types";
import { traced } from "./diagnostics-channels.js";
import type { EventHub } from "./event-hub.js";

/** Facts about a call that its method knows. They are asked for when somebody hears of them, and hold no prompt and no tokens. */
export interface OperationDescription<T> {
  /** Facts about what the method was given. */
  readonly given?: (() => Partial<OperationInfo>) | undefined;
  /** Facts about its result. */
  readonly outcome?: ((value: T) => OperationOutcome) | undefined;
  /** Contents, for those who asked for them by name. */
  readonly content?: OperationContent<T> | undefined;
}

/** The prompt of an operation, and what came out of it. */
export interface OperationContent<T> {
  readonly given: () => ContentOf<"content.prompt">;
  readonly outcome: (value: T) => ContentOf<"content.sequences"> | undefined;
}

type ContentOf<Type extends ContentMessage["type"]> = Omit<
  Extract<ContentMessage, { readonly type: Type }>,
  "service" | "operationId"
>;

/** One call that somebody hears of: publishes its messages, and its span. */
export class OperationEvents {
  readonly #hub: EventHub;
  readonly #info: OperationInfo;
  readonly #startedAtMs: number;
  #trace: OperationTrace | undefined;
  #outcome: OperationOutcome = {};

  constructor(hub: EventHub, info: OperationInfo) {
    this.#hub = hub;
    this.#info = info;
    this.#startedAtMs = hub.clock.monotonic();
  }

  /** Runs the work of the call, and says that it was called. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#hub.publish("operation", { type: "operation.started", ...this.#base() });
    const tracing = this.#hub.tracing("operation");
    if (tracing === undefined) return work();
    this.#trace = { requestId: undefined, seqId: undefined, outcome: undefined, ...this.#base() };
    return traced(tracing, this.#trace, work);
  }

  /** Publishes contents, which `content` gives only where somebody has asked for them. */
  content(content: () => ContentOf<ContentMessage["type"]> | undefined): void {
    if (!this.#hub.isContentHeard) return;
    const part = content();
    if (part === undefined) return;
    const { operationId } = this.#info;
    // Each part is of one of the two types; the compiler forgets that once it is spread.
    this.#hub.publishContent({ service: this.#hub.identity, operationId, ...part } as ContentMessage);
  }

  accepted(requestId: string): void {
    if (this.#trace !== undefined) this.#trace.requestId ??= requestId;
    this.#hub.publish("operation", { type: "operation.accepted", ...this.#base(), requestId });
  }

  submitted(seqId: number | undefined): void {
    if (this.#trace !== undefined) this.#trace.seqId = seqId;
    this.#hub.publish("operation", { type: "operation.submitted", ...this.#base(), seqId });
  }

  /** Notes the facts of the result, before the call has succeeded. */
  noteOutcome(outcome: OperationOutcome): void {
    this.#outcome = outcome;
    if (this.#trace !== undefined) this.#trace.outcome = outcome;
  }

  succeeded(): void {
    const { metrics, checkpoint, outputTokenCount, cachedTokenCount, stopReasons = [] } = this.#outcome;
    const base = this.#base();
    if (outputTokenCount !== undefined) {
      const { inputTokenCount = 0 } = this.#info;
      const counts = { inputTokenCount, outputTokenCount, cachedTokenCount, stopReasons };
      this.#hub.publish("operation", { type: "operation.tokens", ...base, ...counts });
    }
    if (metrics !== undefined) {
      this.#hub.publish("operation", { type: "operation.metrics", ...base, metrics });
    }
    if (checkpoint !== undefined) {
      this.#hub.publish("operation", { type: "operation.checkpoint", ...base, ...checkpoint });
    }
    this.#hub.publish("operation", { type: "operation.result", ...base, durationMs: this.#durationMs() });
  }

  failed(error: unknown): void {
    const isGivenUp = error instanceof AbortedError || error instanceof ClosedError;
    this.#hub.publish("operation", {
      type: isGivenUp ? "operation.cancelled" : "operation.failed",
      ...this.#base(),
      durationMs: this.#durationMs(),
      failure: failureInfo(error),
    });
  }

  #base(): OperationMessageBase {
    return { service: this.#hub.identity, atMs: this.#hub.clock.now(), operation: this.#info };
  }

  #durationMs(): number {
    return this.#hub.clock.monotonic() - this.#startedAtMs;
  }
}

/** Gives the facts about an error that hold nobody's words. */
export function failureInfo(error: unknown): FailureInfo {
  return {
    name: error instanceof Error ? error.name : typeof error,
    code: error instanceof TinkexError ? error.code : undefined,
    status: error instanceof ApiStatusError ? error.status : undefined,
    category: error instanceof RequestFailedError ? error.category : undefined,
    isRetryable: error instanceof TinkexError && error.retryable,
  };
}
