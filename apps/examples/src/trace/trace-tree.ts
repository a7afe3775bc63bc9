import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

/** Draws spans as a tree: a line for each, indented below its parent, in the order in which they began, with its milliseconds. */
export function traceTree(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const isRoot = ({ parentSpanContext }: ReadableSpan): boolean =>
    parentSpanContext === undefined || !ids.has(parentSpanContext.spanId);
  return linesOf(spans, spans.filter(isRoot), "").join("\n");
}

function linesOf(spans: readonly ReadableSpan[], level: readonly ReadableSpan[], indent: string): string[] {
  return [...level].sort(byStart).flatMap((span) => {
    const { spanId } = span.spanContext();
    const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId);
    const milliseconds = `${millisecondsOf(span.duration).toFixed(1)} ms`;
    const line = `${`${indent}${span.name}`.padEnd(56)} ${milliseconds.padStart(10)}`;
    return [line, ...linesOf(spans, children, `${indent}  `)];
  });
}

function byStart(a: ReadableSpan, b: ReadableSpan): number {
  return millisecondsOf(a.startTime) - millisecondsOf(b.startTime);
}

/** OpenTelemetry's times are seconds and nanoseconds. */
function millisecondsOf([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1e3 + nanoseconds / 1e6;
}
