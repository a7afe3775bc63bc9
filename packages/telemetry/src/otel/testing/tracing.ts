import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";
import { type ReceivedSpan, startReceiver } from "./otlp-receiver.js";

/** Reads metrics when the test asks for them. */
class AskedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The OpenTelemetry SDK, registered as a program does it, with a receiver of its spans. */
export interface Tracing {
  /** Sends what has ended, and gives all spans that were received. */
  spans(): Promise<readonly ReceivedSpan[]>;
  /** Values of a metric by its name: sums of counters, counts of histograms, each with its attributes. */
  metric(name: string): Promise<readonly { readonly value: number; readonly attributes: object }[]>;
}

/**
 * Registers the SDK until the test ends.
 *
 * @param receiver - of the spans
 * @param url - that the SDK sends to, of a collector which passes on to the receiver
 */
export async function startTracing(
  receiver?: Awaited<ReturnType<typeof startReceiver>>,
  url?: string,
): Promise<Tracing> {
  const { url: direct, spans } = receiver ?? (await startReceiver());
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: url ?? direct }));
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const reader = new AskedReader();
  const meters = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(async () => {
    for (const api of [trace, metrics, context]) api.disable();
    await provider.shutdown();
    await meters.shutdown();
  });
  return {
    async spans() {
      await provider.forceFlush();
      return spans;
    },
    async metric(name) {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap(({ metrics: found }) => found);
      const points = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
      return points.map(({ value, attributes }) => ({
        value: typeof value === "number" ? value : value.count,
        attributes,
      }));
    },
  };
}
