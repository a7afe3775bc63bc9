import type { SpanContext } from "@opentelemetry/api";

/** Headers of W3C Trace Context. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string;
}

// Fixed lengths, so that every character is looked at once. A later version may have further fields.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** Writes the headers by which a server puts its spans below this one. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const state = traceState?.serialize() ?? "";
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/**
 * Reads the parent of a server's spans.
 *
 * @param header - as Node gives it: a header that came more than once is joined by commas, and the last one, of the nearest hop, counts
 * @returns undefined where there is none, or it is none
 */
export function readTraceParent(header: string | undefined): SpanContext | undefined {
  const last = header?.split(",").at(-1)?.trim() ?? "";
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = "00"] = TRACEPARENT.exec(last) ?? [];
  if (version === undefined || version === "ff" || traceId === NO_TRACE || spanId === NO_SPAN)
    return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
