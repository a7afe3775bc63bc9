import { type Logger, shieldedLogger } from "@tinkex/base";
import type {
  FailedAttempt,
  FailedRequestTry,
  FailedResult,
  ReportedSession,
  SessionReporter,
  Severity,
  TelemetryEvent,
  TelemetrySendRequest,
} from "@tinkex/types";
import { EventQueue, type QueuedContent } from "./event-queue.js";
import { attemptEvent, type EventContent, exceptionEvent, resultEvent, tryEvent } from "./failure-events.js";
import { platformName, processUuid } from "./process-identity.js";

/** Longest time that an event waits for others, in milliseconds. */
export const FLUSH_INTERVAL_MS = 10_000;
/** Longest time that the last events may take, in milliseconds. */
export const LAST_FLUSH_MS = 2_000;
/** Batches in a row that the service does not take, after which a session reports no more. */
export const MAX_REFUSED_BATCHES = 3;

/** Numbers that all sessions of one reporter add to. */
export interface Counts {
  sent: number;
  dropped: number;
}

/** Reports one session: keeps its events, and sends them in batches, one after another. */
export class SessionTelemetry implements SessionReporter {
  readonly clientId: string;
  readonly hasSession: boolean;
  readonly #session: ReportedSession;
  readonly #logger: Logger;
  readonly #sessionId: string;
  readonly #counts: Counts;
  readonly #queue: EventQueue;
  readonly #startedAtMs: number;
  readonly #leave: () => void;
  /** Ends the request under way once the last flush has taken too long. */
  readonly #ending = new AbortController();
  readonly #reported = new WeakSet<object>();
  /** Errors that were reported as ending the session, as each may have been reported before as the failure of a call. */
  readonly #reportedFatal = new WeakSet<object>();
  #timer: AbortController | undefined;
  #sending: Promise<void> | undefined;
  /** The events of the request under way. */
  #underWay: readonly TelemetryEvent[] = [];
  #closing: Promise<void> | undefined;
  #refusedBatchCount = 0;
  #hasEnded: boolean;
  #isOff = false;

  /** @param leave - called when it is closed */
  constructor(
    session: ReportedSession,
    sessionlessId: string,
    counts: Counts,
    leave: (ended: SessionTelemetry) => void,
  ) {
    this.#session = session;
    this.#logger = shieldedLogger(session.logger);
    this.clientId = session.clientId;
    this.hasSession = session.sessionId !== undefined;
    this.#sessionId = session.sessionId ?? sessionlessId;
    this.#counts = counts;
    this.#leave = () => leave(this);
    const { clock } = session;
    this.#queue = new EventQueue(() => clock.now());
    this.#startedAtMs = clock.monotonic();
    this.#hasEnded = !this.hasSession;
    if (this.hasSession) this.#append([{ event: "SESSION_START" }]);
  }

  /** Events that wait. */
  get queued(): number {
    return this.#queue.size;
  }

  tryFailed(failure: FailedRequestTry): void {
    this.#add(() => tryEvent(failure, this.#session.clock.now()));
  }

  resultFailed(failure: FailedResult): void {
    this.#add(() => resultEvent(failure));
  }

  attemptFailed(failure: FailedAttempt): void {
    this.#add(() => attemptEvent(failure, this.#session.clock.now()));
  }

  callFailed(error: unknown): void {
    this.exception(error, "ERROR");
  }

  /** Adds an event of the program's own. Tells whether there was room. */
  log(name: string, data: Readonly<Record<string, unknown>>, severity: Severity): boolean {
    return this.#append([{ event: "GENERIC_EVENT", name, data, severity }]);
  }

  /** Adds an error, once however often it is told, and sends soon. Tells whether it was added. */
  exception(error: unknown, severity: Severity): boolean {
    if (isKnown(this.#reported, error)) return false;
    const isAdded = this.#add(() => exceptionEvent(error, severity));
    void this.flush();
    return isAdded;
  }

  /** Adds an error that ends the session; whoever knows that the process goes on has it sent. Tells whether it was added. */
  fatalException(error: unknown, severity: Severity): boolean {
    if (isKnown(this.#reportedFatal, error)) return false;
    const end = this.#end();
    const isAdded = this.#add(() => exceptionEvent(error, severity), end);
    // Refused with its error, the end goes out when the session closes.
    if (!isAdded && end.length > 0) this.#hasEnded = false;
    return isAdded;
  }

  /** Sends what waits. One request is under way at a time. Never rejects. */
  flush(): Promise<void> {
    this.#timer?.abort();
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#arm();
    });
    return this.#sending;
  }

  /** Sends what waits, the end of the session among it, within two seconds, and gives up what takes longer. */
  async flushLast(): Promise<void> {
    this.#append(this.#end());
    const done = new AbortController();
    const limit = this.#session.clock.sleep(LAST_FLUSH_MS, done.signal).then(
      () => this.#ending.abort(),
      () => {},
    );
    // A send that does not heed its signal must not hold up the end.
    await Promise.race([this.#flushAll(), limit]);
    done.abort();
  }

  /**
   * Sends what waits while the thread stands still, for a process that is about to end, and what is under way too: nobody will
   * learn whether it arrived, and the service knows events by their ids.
   */
  flushNow(limitMs: number): void {
    this.#append(this.#end());
    const { sendNow, clock } = this.#session;
    const endMs = clock.monotonic() + limitMs;
    for (let events = this.#takeUnderWay(); events.length > 0; events = this.#queue.takeBatch()) {
      const leftMs = endMs - clock.monotonic();
      const isSent = leftMs > 0 && sendNow?.(this.#batch(events), leftMs) === true;
      if (isSent) this.#counts.sent += events.length;
      else this.#drop(events.length);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.flushLast();
    this.#isOff = true;
    this.#timer?.abort();
    this.#drop(this.#queue.clear());
    this.#leave();
  }

  /** The event that ends a session, once. */
  #end(): readonly QueuedContent[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    return [{ event: "SESSION_END", durationMs: this.#session.clock.monotonic() - this.#startedAtMs }];
  }

  /** Adds an event, and those that go with it. An error whose parts cannot be read is no event. */
  #add(make: () => EventContent | undefined, more: readonly QueuedContent[] = []): boolean {
    try {
      const event = make();
      return event !== undefined && this.#append([event, ...more]);
    } catch (error) {
      this.#logger.debug("an error could not be reported", { error });
      return this.#append(more);
    }
  }

  #append(contents: readonly QueuedContent[]): boolean {
    if (contents.length === 0) return false;
    if (this.#isOff) {
      this.#drop(contents.length);
      return false;
    }
    const hasRoom = this.#queue.append(contents);
    if (hasRoom) this.#arm();
    else {
      this.#drop(contents.length);
      this.#logger.debug("telemetry queue full, dropping events", { events: contents.length });
    }
    return hasRoom;
  }

  /** Starts the time after which events that wait are sent, unless it runs. It keeps no process alive. */
  #arm(): void {
    if (this.#isOff || this.#queue.size === 0) return;
    if (this.#timer !== undefined || this.#sending !== undefined) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.#session.clock.sleep(FLUSH_INTERVAL_MS, timer.signal, { background: true }).then(
      () => this.flush(),
      // Called off: they are sent sooner.
      () => {},
    );
  }

  async #flushAll(): Promise<void> {
    while (!this.#ending.signal.aborted && (this.#sending !== undefined || this.#queue.size > 0)) {
      await this.flush();
    }
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.size > 0 && !this.#isOff && !this.#ending.signal.aborted) {
      const events = this.#queue.takeBatch();
      this.#underWay = events;
      try {
        await this.#session.send(this.#batch(events), this.#ending.signal);
        this.#counts.sent += events.length;
        this.#refusedBatchCount = 0;
      } catch (error) {
        this.#drop(events.length);
        this.#noteRefusal(error);
      } finally {
        this.#underWay = [];
      }
    }
  }

  /** The events of the request under way; those that wait where there is none. */
  #takeUnderWay(): readonly TelemetryEvent[] {
    const events = this.#underWay;
    this.#underWay = [];
    return events.length > 0 ? events : this.#queue.takeBatch();
  }

  #noteRefusal(error: unknown): void {
    this.#refusedBatchCount += 1;
    this.#logger.debug("dropping telemetry batch that failed to send", { error });
    if (this.#refusedBatchCount < MAX_REFUSED_BATCHES || this.#isOff) return;
    this.#isOff = true;
    this.#drop(this.#queue.clear());
    this.#logger.debug(`the service does not take telemetry; session ${this.#sessionId} reports no more`);
  }

  #drop(count: number): void {
    this.#counts.dropped += count;
  }

  #batch(events: readonly TelemetryEvent[]): TelemetrySendRequest {
    return {
      events,
      platform: platformName(process.platform),
      sdk_version: this.#session.sdkVersion,
      session_id: this.#sessionId,
      process_uuid: processUuid(),
    };
  }
}

/** Tells whether an error is in a set, and puts it there. */
function isKnown(errors: WeakSet<object>, error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (errors.has(error)) return true;
  errors.add(error);
  return false;
}
