import { randomUUID } from "node:crypto";
import { ClosedError, type HttpTransport, type TransportCall, type TransportResponse } from "@tinkex/types";
import { checkApiKey } from "./api-key.js";
import { resolveBaseUrl } from "./base-url.js";
import { CallScope } from "./call-scope.js";
import { checkCall } from "./check-call.js";
import { classifyOutcome } from "./classify-outcome.js";
import { consoleLogger } from "./console-logger.js";
import { networkError } from "./network-error.js";
import type { Operation } from "./operation.js";
import { platformHeaders } from "./platform-headers.js";
import { callHeaders, mergeHeaders } from "./request-headers.js";
import { requestPath } from "./request-path.js";
import { RETRY_POLICIES, type RetryPolicy } from "./retry-policy.js";
import { type Retry, runWithRetries } from "./run-with-retries.js";
import { statusError } from "./status-error.js";
import { systemClock } from "./system-clock.js";
import type { TransportOptions } from "./transport-options.js";
import type { TryOutcome } from "./try-outcome.js";
import { UndiciSender } from "./undici-sender.js";
import { COMPATIBLE_SDK_VERSION, VERSION } from "./version.js";

/**
 * Makes the transport that the client sends everything through. Nothing is sent, and undici not loaded, before the
 * first call.
 *
 * @throws ValidationError for a base URL, key or header that cannot work
 */
export function createTransport(options: TransportOptions = {}): HttpTransport {
  const baseUrl = resolveBaseUrl(options.baseUrl);
  const apiKey = checkApiKey(options.apiKey, baseUrl);
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname === "/" ? "" : pathname;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const logger = options.logger ?? consoleLogger("warn");
  const newIdempotencyKey = options.newIdempotencyKey ?? randomUUID;
  const defaults = mergeHeaders(
    { "user-agent": options.userAgent ?? `Tinkex/JS ${VERSION}` },
    platformHeaders(process, options.sdkVersion ?? COMPATIBLE_SDK_VERSION),
    apiKey === undefined ? undefined : { "x-api-key": apiKey },
    options.defaultHeaders,
  );
  const sender = new UndiciSender({
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    keepAliveMs: options.keepAliveMs ?? 30_000,
  });
  const scopes = new Set<CallScope>();
  let closed = false;
  let answered = false;

  const policyOf = (operation: Operation): RetryPolicy => {
    const policy = RETRY_POLICIES[operation.retry];
    const most = options.firstContactRetries;
    if (answered || most === undefined) return policy;
    return { ...policy, maxRetries: Math.min(policy.maxRetries, most) };
  };

  return {
    async call(call: TransportCall): Promise<TransportResponse> {
      if (closed) throw new ClosedError(`${call.operation}: the client is closed`);
      const operation = checkCall(call);
      const path = prefix + requestPath(operation, call);
      const headers = callHeaders(defaults, operation, call, newIdempotencyKey);
      const { timeouts } = operation;
      headers["x-stainless-read-timeout"] ??= String((timeouts.totalMs ?? timeouts.headersMs) / 1000);
      const fixedCount = headers["x-stainless-retry-count"];
      const scope = new CallScope(call.operation, clock, call);
      scopes.add(scope);
      try {
        const { outcome, verdict, attempts } = await runWithRetries({
          send: async (retryCount) => {
            headers["x-stainless-retry-count"] = fixedCount ?? String(retryCount);
            const outcome = await sender.send(
              {
                pool: operation.pool,
                method: operation.method,
                origin,
                path,
                headers,
                body: call.body,
                timeouts,
              },
              scope,
            );
            if (outcome.kind === "answer") answered = true;
            return outcome;
          },
          classify: (outcome) => classifyOutcome(outcome, operation, call.returnStatuses ?? [], clock.now()),
          policy: () => policyOf(operation),
          repeatable: operation.idempotent !== "no",
          scope,
          clock,
          random,
          onRetry: (retry) => logger.info(retryLine(call.operation, retry)),
        });
        if (outcome.kind !== "answer") throw networkError(call.operation, baseUrl, outcome, attempts);
        if (verdict.kind === "failure") throw statusError(call.operation, baseUrl, outcome, attempts);
        const { status, headers: answerHeaders, body } = outcome;
        return { status, headers: answerHeaders, body, attempts };
      } finally {
        scope.end();
        scopes.delete(scope);
      }
    },

    close(): Promise<void> {
      closed = true;
      for (const scope of scopes) scope.interrupt(new ClosedError("the client was closed during the call"));
      return sender.close();
    },
  };
}

function retryLine(operation: string, { outcome, attempts, delayMs }: Retry): string {
  return `${operation}: ${describe(outcome)}; try ${attempts + 1} in ${(delayMs / 1000).toFixed(1)} s`;
}

function describe(outcome: TryOutcome): string {
  if (outcome.kind === "answer") return `answered ${outcome.status}`;
  if (outcome.kind === "timed_out") return `no ${outcome.waitingFor} within ${outcome.limitMs} ms`;
  return "the connection failed";
}
