import {
  AbortedError,
  ApiStatusError,
  type Clock,
  ClosedError,
  type HttpTransport,
  type Logger,
  type RepeatedTry,
  type TransportCall,
} from "@tinkex/base";
import type {
  ApiGeneration,
  FailedAttempt,
  FailedRequestTry,
  FailedResult,
  ReportedSession,
  SessionReporter,
  TelemetryReporter,
} from "@tinkex/types";
import type { FailureListener } from "../events/failure-listener.js";
import { ApiCalls } from "../session/api-calls.js";
import { installedReporter } from "./installed-reporter.js";
import { type PostNow, postNow } from "./post-now.js";

/** The parts that the telemetry of one service client works with. */
export interface ServiceTelemetryOptions {
  /** Option of the client. */
  readonly telemetry: TelemetryReporter | boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clientId: string;
  readonly sdkVersion: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Carries the batches; it waits out no 402. */
  readonly transport: HttpTransport;
  /** Tells whether a 402 is waited out, and so no failure. */
  readonly waitsForBilling: boolean;
  /** Generation of the server, once it is known. */
  generation(): ApiGeneration;
  /** Address and headers of the service, for the last batch of a process that dies; `undefined` where they are not known. */
  readonly direct: () => Pick<PostNow, "url" | "headers"> | undefined;
}

/** Passes what fails in one service client to its reporter of telemetry, of the client's own session alone. */
export class ServiceTelemetry implements FailureListener {
  readonly #options: ServiceTelemetryOptions;
  #reporter: Promise<TelemetryReporter | undefined> | undefined;
  #session: Promise<SessionReporter | undefined> | undefined;
  #isClosed = false;

  constructor(options: ServiceTelemetryOptions) {
    this.#options = options;
  }

  /** Begins to report a session that the client has opened. Nobody waits for it. */
  opened(sessionId: string): void {
    void this.#session?.then((before) => before?.close());
    this.#session = this.#begin(sessionId);
  }

  tryFailed(failure: FailedRequestTry): void {
    this.#tell((session) => session.tryFailed(failure));
  }

  resultFailed(failure: FailedResult): void {
    if (!isGivenUp(failure.error)) this.#tell((session) => session.resultFailed(failure));
  }

  attemptFailed(failure: FailedAttempt): void {
    if (!isGivenUp(failure.error)) this.#tell((session) => session.attemptFailed(failure));
  }

  callFailed(error: unknown): void {
    this.#tell((session) => session.callFailed(error));
  }

  /** Sends what waits, within the reporter's limit, and reports no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session;
    await guarded(() => session?.close(), this.#options.logger);
  }

  /** Notes a try that failed and is followed by another. */
  readonly requestRepeated = ({ call, attempt, status, elapsedMs }: RepeatedTry): void => {
    this.#tryFailed(call, { attempt, status, error: undefined, isRepeated: true, elapsedMs });
  };

  /** Notes a call that failed with its last try. */
  readonly requestFailed = (call: TransportCall, error: unknown, elapsedMs: number): void => {
    if (isGivenUp(error)) return;
    const { attempts: attempt = 1 } = error as { readonly attempts?: number };
    const status = error instanceof ApiStatusError ? error.status : undefined;
    this.#tryFailed(call, { attempt, status, error, isRepeated: false, elapsedMs });
  };

  #tryFailed(
    call: RepeatedTry["call"],
    failure: Omit<FailedRequestTry, "endpoint" | "method" | "poll">,
  ): void {
    if (failure.status === 402 && this.#options.waitsForBilling) return;
    const { operation: endpoint, headers } = call;
    this.tryFailed({ ...failure, endpoint, method: headers?.["x-sdk-method"], poll: pollOf(call) });
  }

  #tell(tell: (session: SessionReporter) => void): void {
    if (this.#isClosed) return;
    this.#session ??= this.#begin(undefined);
    const { logger } = this.#options;
    void this.#session.then((session) => guarded(() => session && tell(session), logger));
  }

  async #begin(sessionId: string | undefined): Promise<SessionReporter | undefined> {
    const { telemetry, env, logger } = this.#options;
    this.#reporter ??= isReporter(telemetry)
      ? Promise.resolve(telemetry)
      : installedReporter(telemetry, env, logger);
    const reporter = await this.#reporter;
    return guarded(() => reporter?.begin(this.#reportedSession(sessionId)), logger);
  }

  #reportedSession(sessionId: string | undefined): ReportedSession {
    const { clientId, sdkVersion, clock, logger, transport, direct } = this.#options;
    const background: HttpTransport = {
      call: (call) => transport.call({ ...call, isBackground: true }),
      close: () => transport.close(),
    };
    const calls = new ApiCalls({ transport: background, sdkVersion, generation: this.#options.generation() });
    return {
      clientId,
      sessionId,
      sdkVersion,
      clock,
      logger,
      send: async (batch, signal) => {
        await calls.post("telemetry", calls.encode("telemetry", batch), { signal });
      },
      sendNow: (batch, limitMs) => {
        const address = direct();
        return (
          address !== undefined && postNow({ ...address, body: calls.encode("telemetry", batch), limitMs })
        );
      },
    };
  }
}

function isReporter(telemetry: TelemetryReporter | boolean | undefined): telemetry is TelemetryReporter {
  return typeof telemetry === "object";
}

/** Reads what a poll asks for, of those that ask for one result. */
function pollOf({ operation, headers, body }: RepeatedTry["call"]): FailedRequestTry["poll"] {
  if (operation !== "retrieve_future" || !(body instanceof Uint8Array)) return undefined;
  const { request_id: requestId }: { readonly request_id?: unknown } = JSON.parse(
    Buffer.from(body).toString(),
  );
  return {
    requestId: String(requestId),
    requestType: headers?.["x-tinker-request-type"] ?? "",
    iteration: Number(headers?.["x-tinker-request-iteration"] ?? 0),
  };
}

/** Tells whether an error is the caller's own word, of which the service need not hear. */
function isGivenUp(error: unknown): boolean {
  return error instanceof AbortedError || error instanceof ClosedError;
}

/** Runs a part of a reporter, whose faults are none of the program's. */
async function guarded<T>(run: () => T, logger: Logger): Promise<Awaited<T> | undefined> {
  try {
    return await run();
  } catch (error) {
    logger.debug("a reporter of telemetry failed", { error });
    return undefined;
  }
}
