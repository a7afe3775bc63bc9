import type { Meter, Tracer } from "@opentelemetry/api";
import {
  checkFunction,
  checkKnownNames,
  checkObject,
  describeValue,
  errorMessage,
  ValidationError,
} from "@tinkex/base";
import { ClientMetrics } from "./client-metrics.js";
import type { Decode } from "./content-attributes.js";
import { ContextStore } from "./context-store.js";
import { SCHEMA_URL, SCOPE_NAME } from "./conventions.js";
import type { SpanPorts } from "./follow-channel.js";
import { guardWith } from "./guard.js";
import { loadApi, type OtelApi } from "./load-api.js";
import { OperationSpans } from "./operation-spans.js";
import { followChunks, followQueue } from "./queue-spans.js";
import { RequestSpans } from "./request-spans.js";

/** Options of {@link instrument}. */
export interface InstrumentOptions {
  /** Makes the spans. @defaultValue one of the registered tracer provider */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. @defaultValue one of the registered meter provider */
  readonly meter?: Meter | undefined;
  /**
   * Adds prompts, samples, stop sequences and the words of errors to the spans: token ids, or text where a function decodes them,
   * e.g. `(tokens) => tokenizer.decode(tokens)`. @defaultValue false
   */
  readonly content?: boolean | Decode | undefined;
  /**
   * Sends `traceparent` with the requests of traced calls. @defaultValue true, unless an instrumentation of undici is there, which
   * sends its own
   */
  readonly propagate?: boolean | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof InstrumentOptions, true>> = {
  tracer: true,
  meter: true,
  content: true,
  propagate: true,
};

/**
 * Makes OpenTelemetry spans and metrics of what all service clients of the process do from now on: samples, training steps with their
 * passes, requests, repeats and waits in the service's queue. It starts no timer, and changes no result and no error.
 *
 * @returns a function that ends it, and the spans that are open; it may be called twice
 * @throws TinkexError (`missing_dependency`) where `@opentelemetry/api` is not installed; ValidationError for an option of the wrong kind
 *
 * @example
 * const undo = instrument({ tracer: provider.getTracer("training") });
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  checkKnownNames(options, OPTION_NAMES, "the options of instrument");
  const { content = false, propagate } = options;
  if (options.tracer !== undefined) {
    checkObject(options.tracer, "instrument: tracer", 'provider.getTracer("training")');
    checkFunction(options.tracer.startSpan, "instrument: tracer.startSpan");
  }
  if (options.meter !== undefined) {
    checkObject(options.meter, "instrument: meter", 'provider.getMeter("training")');
    checkFunction(options.meter.createHistogram, "instrument: meter.createHistogram");
  }
  if (typeof content !== "boolean" && typeof content !== "function") {
    throw new ValidationError(
      `instrument: content must be true, false or a function that decodes tokens, got ${describeValue(content)}`,
      { path: ["content"] },
    );
  }
  if (propagate !== undefined && typeof propagate !== "boolean") {
    throw new ValidationError(
      `instrument: propagate must be true or false, got ${describeValue(propagate)}`,
      {
        path: ["propagate"],
      },
    );
  }
  const api = loadApi();
  const { tracer, meter } = makers(api, options);
  const guard = guardWith((error) =>
    api.diag.error(`${SCOPE_NAME}: a span or metric could not be made: ${errorMessage(error)}`),
  );
  const ports: SpanPorts = { api, store: new ContextStore(api, guard), guard };
  const metrics = new ClientMetrics(meter, ports.guard);
  const decode = typeof content === "function" ? content : undefined;
  const operations = new OperationSpans(
    { tracer, metrics, hasContent: content !== false, decode, nowMs: () => performance.now() },
    ports,
  );
  const leaves = [
    operations.follow(),
    followChunks(tracer, ports),
    followQueue({ tracer, metrics, operations }, ports),
    new RequestSpans({ tracer, propagates: propagate }, ports).follow(),
  ];
  return () => {
    // From the requests up to the operations: a parent ends after its children.
    for (const leave of leaves.splice(0).reverse()) leave();
    // Node carries a store that was used through all that is asynchronous, until it is let go.
    ports.store.disable();
  };
}

function makers(api: OtelApi, { tracer, meter }: InstrumentOptions): { tracer: Tracer; meter: Meter } {
  const scope = { schemaUrl: SCHEMA_URL };
  return {
    tracer: tracer ?? api.trace.getTracerProvider().getTracer(SCOPE_NAME, undefined, scope),
    meter: meter ?? api.metrics.getMeter(SCOPE_NAME, undefined, scope),
  };
}
