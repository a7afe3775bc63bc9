import { randomUUID } from "node:crypto";
import {
  checkClock,
  checkFunction,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  describeValue,
  ValidationError,
} from "@tinkex/base";
import type {
  ReportedSession,
  SessionReporter,
  Severity,
  TelemetryReporter,
  TelemetryStats,
} from "@tinkex/types";
import { flushAtExit, leaveExit } from "./exit-hooks.js";
import { SessionTelemetry } from "./session-telemetry.js";

const SEVERITIES: readonly Severity[] = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

/** Options of a capture. */
export interface CaptureOptions {
  /** The error ends the session, as far as the service is told. @defaultValue false */
  readonly fatal?: boolean | undefined;
  /** @defaultValue `ERROR` */
  readonly severity?: Severity | undefined;
}

const CAPTURE_OPTIONS = { fatal: true, severity: true } as const;

/**
 * Reports to the service what happens in one service client: the begin and end of its session, requests and calls that fail, and
 * events of the program's own. It sends no message of an error, no stack, no header, no prompt and no path.
 *
 * @example
 * const reporter = new ServiceReporter();
 * await using service = new ServiceClient({ telemetry: reporter });
 * reporter.log("evaluation.started", { examples: 200 });
 */
export class ServiceReporter implements TelemetryReporter {
  readonly #sessions = new Set<SessionTelemetry>();
  readonly #counts = { sent: 0, dropped: 0 };
  readonly #sessionlessId = `sessionless-${randomUUID()}`;
  #clientId: string | undefined;
  /** The session that the program's own events belong to: the last that began. */
  #current: SessionTelemetry | undefined;

  /** Numbers of events that wait, that the service has taken, and that were lost. */
  get stats(): TelemetryStats {
    let queued = 0;
    for (const session of this.#sessions) queued += session.queued;
    return { queued, ...this.#counts };
  }

  /**
   * Begins to report a session. A service client calls it.
   *
   * @throws ValidationError for the session of a second client: each has a reporter of its own
   */
  begin(session: ReportedSession): SessionReporter {
    checkObject(session, "ServiceReporter.begin: session");
    checkString(session.clientId, "ServiceReporter.begin: session.clientId");
    checkFunction(session.send, "ServiceReporter.begin: session.send");
    const { clock, logger } = session;
    checkObject(clock, "ServiceReporter.begin: session.clock");
    checkClock(clock, "ServiceReporter.begin: session.clock");
    checkObject(logger, "ServiceReporter.begin: session.logger");
    checkLogger(logger, "ServiceReporter.begin: session.logger");
    this.#clientId ??= session.clientId;
    if (this.#clientId !== session.clientId) {
      throw new ValidationError(
        "ServiceReporter.begin: the reporter belongs to another service client; make one for each",
        { path: ["session"] },
      );
    }
    const telemetry = new SessionTelemetry(session, this.#sessionlessId, this.#counts, (ended) => {
      this.#sessions.delete(ended);
      leaveExit(ended);
    });
    this.#sessions.add(telemetry);
    flushAtExit(telemetry);
    if (this.#current?.hasSession !== true || telemetry.hasSession) this.#current = telemetry;
    return telemetry;
  }

  /**
   * Reports an event of the program's own. Nothing is sent before the client has a session.
   *
   * @param name - one of few, e.g. `evaluation.started`
   * @param data - what fits JSON is sent; a cycle, a function or a bigint is replaced by a word, and what is too long is cut
   * @returns false where it was not kept: the queue is full, or there is no session
   * @throws ValidationError
   */
  log(name: string, data: Readonly<Record<string, unknown>> = {}, severity: Severity = "INFO"): boolean {
    checkString(name, "ServiceReporter.log: name", "evaluation.started");
    checkObject(data, "ServiceReporter.log: data", "{ examples: 200 }");
    checkSeverity(severity, "ServiceReporter.log");
    return this.#current?.log(name, data, severity) ?? false;
  }

  /**
   * Reports an error that the program has caught, by its class, status and code. One that its caller can mend is a warning, whatever
   * the severity.
   *
   * @returns false where it was not kept: it was reported before, the queue is full, or there is no session
   * @throws ValidationError
   */
  logException(error: unknown, severity: Severity = "ERROR"): boolean {
    checkSeverity(severity, "ServiceReporter.logException");
    return this.#current?.exception(error, severity) ?? false;
  }

  /**
   * Runs a function, and reports what it throws, once however many captures it comes through. An aborted call is no error. A promise is
   * followed, that of another library too: one that starts its work anew at each `then` belongs in an async function.
   *
   * @returns what the function returns, of a promise one that settles as it does, so that a failure that nobody awaits is seen as
   * ever; it throws what the function throws, at once
   * @throws ValidationError
   */
  capture<T>(run: () => T, options: CaptureOptions = {}): T {
    checkFunction(run, "ServiceReporter.capture: run");
    checkKnownNames(options, CAPTURE_OPTIONS, "the options of ServiceReporter.capture");
    const { fatal = false, severity = "ERROR" } = options;
    checkSeverity(severity, "ServiceReporter.capture");
    if (typeof fatal !== "boolean") {
      throw new ValidationError(
        `ServiceReporter.capture: fatal must be true or false, got ${describeValue(fatal)}`,
        { path: ["fatal"] },
      );
    }
    const note = (error: unknown): void => {
      if (isAborted(error)) return;
      if (!fatal) this.#current?.exception(error, severity);
      else if (this.#current?.fatalException(error, severity)) void this.#current.flush();
    };
    try {
      const result = run();
      if (result instanceof Promise && result.constructor === Promise) {
        const noted = result.catch((error: unknown) => {
          note(error);
          throw error;
        });
        // It settles as the function's own does, and so has its type.
        return noted as T;
      }
      // The promise of a future counts who waits for it, and a reporter does not.
      if (result instanceof Promise) Promise.prototype.then.call(result, undefined, note);
      else if (isThenable(result)) Promise.resolve(result).catch(note);
      return result;
    } catch (error) {
      note(error);
      throw error;
    }
  }
}

function checkSeverity(severity: unknown, place: string): void {
  if (SEVERITIES.some((known) => known === severity)) return;
  throw new ValidationError(
    `${place}: severity must be one of ${SEVERITIES.join(", ")}, got ${describeValue(severity)}`,
    { path: ["severity"] },
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
  } catch {
    // A value that cannot be looked at is the caller's own affair.
    return false;
  }
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "AbortedError");
}
