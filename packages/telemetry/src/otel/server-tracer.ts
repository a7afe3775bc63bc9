import type { Tracer } from "@opentelemetry/api";
import { checkFunction, checkKnownNames, checkObject, type ServerTracer } from "@tinkex/base";
import { ATTRIBUTES, SCHEMA_URL, SCOPE_NAME, SPANS } from "./conventions.js";
import { loadApi } from "./load-api.js";
import { readTraceParent } from "./trace-parent.js";

/** Options of {@link serverTracer}. */
export interface ServerTracerOptions {
  /** Makes the spans. @defaultValue one of the registered tracer provider */
  readonly tracer?: Tracer | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof ServerTracerOptions, true>> = { tracer: true };

/**
 * Makes the `tracer` of `startLocalServer`: an OpenTelemetry span for each operation, below the request that asked for it, with spans of
 * its wait in the queue, of compiling and of running.
 *
 * @throws TinkexError (`missing_dependency`) where `@opentelemetry/api` is not installed; ValidationError
 *
 * @example
 * const server = await startLocalServer({ tracer: serverTracer() });
 */
export function serverTracer(options: ServerTracerOptions = {}): ServerTracer {
  checkKnownNames(options, OPTION_NAMES, "the options of serverTracer");
  if (options.tracer !== undefined) {
    checkObject(options.tracer, "serverTracer: tracer", 'provider.getTracer("server")');
    checkFunction(options.tracer.startSpan, "serverTracer: tracer.startSpan");
  }
  const api = loadApi();
  const tracer =
    options.tracer ??
    api.trace.getTracerProvider().getTracer(SCOPE_NAME, undefined, { schemaUrl: SCHEMA_URL });
  return {
    record({ endpoint, traceparent, tracestate, startedAtMs, endedAtMs, phases, errorType }) {
      const remote = readTraceParent(traceparent);
      const traceState = tracestate === undefined ? undefined : api.createTraceState(tracestate);
      const parent =
        remote === undefined
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, ...(traceState && { traceState }) });
      const span = tracer.startSpan(
        `${SPANS.server} ${endpoint}`,
        {
          kind: api.SpanKind.SERVER,
          startTime: startedAtMs,
          attributes: { [ATTRIBUTES.endpoint]: endpoint },
        },
        parent,
      );
      const below = api.trace.setSpan(parent, span);
      for (const phase of phases) {
        tracer
          .startSpan(SPANS.serverPhases[phase.name], { startTime: phase.startedAtMs }, below)
          .end(phase.endedAtMs);
      }
      if (errorType !== undefined) {
        span.setAttribute(ATTRIBUTES.errorType, errorType);
        span.setStatus({ code: api.SpanStatusCode.ERROR });
      }
      span.end(endedAtMs);
    },
  };
}
