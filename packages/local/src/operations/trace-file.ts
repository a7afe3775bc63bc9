import type { TimelineSpan } from "../registries/session-timeline.js";

/** An event of the JSON that ui.perfetto.dev, and browsers under `about:tracing`, show. Times are in microseconds. */
type TraceEvent = Readonly<Record<string, unknown>>;

const PROCESS = 1;
/** Track of the samples; those of models come behind it. */
const SAMPLES = 0;

/** Writes the timeline of a session: a track for each model, and one for its samples, which overlap. */
export function traceFile(sessionId: string, spans: readonly TimelineSpan[]): string {
  const models = [...new Set(spans.flatMap(({ model }) => model ?? []))];
  const traceEvents: TraceEvent[] = [
    nameOf("process_name", SAMPLES, `session ${sessionId}`),
    nameOf("thread_name", SAMPLES, "samples"),
    ...models.map((model, index) => nameOf("thread_name", index + 1, model)),
    ...spans.flatMap((span, index) =>
      span.model === undefined ? overlapping(span, index) : [inOrder(span, models.indexOf(span.model) + 1)],
    ),
  ];
  return JSON.stringify({ displayTimeUnit: "ms", traceEvents });
}

function nameOf(kind: string, tid: number, name: string): TraceEvent {
  return { ph: "M", name: kind, pid: PROCESS, tid, args: { name } };
}

function inOrder(span: TimelineSpan, tid: number): TraceEvent {
  const { name, startedAtMs, endedAtMs } = span;
  const times = { ts: startedAtMs * 1000, dur: (endedAtMs - startedAtMs) * 1000 };
  return { ph: "X", cat: "training", name, pid: PROCESS, tid, ...times, args: detailsOf(span) };
}

function overlapping(span: TimelineSpan, id: number): TraceEvent[] {
  const { name, startedAtMs, endedAtMs } = span;
  const event = { cat: "sampling", name, id, pid: PROCESS, tid: SAMPLES };
  return [
    { ...event, ph: "b", ts: startedAtMs * 1000, args: detailsOf(span) },
    { ...event, ph: "e", ts: endedAtMs * 1000 },
  ];
}

function detailsOf({ submittedAtMs, startedAtMs, hasFailed }: TimelineSpan): TraceEvent {
  return { waited_ms: startedAtMs - submittedAtMs, failed: hasFailed };
}
