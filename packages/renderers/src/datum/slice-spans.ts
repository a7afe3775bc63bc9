import type { ProvenanceSpan } from "@tinkex/types";

/** The spans of the positions from `start` to before `end`. */
export function sliceSpans(spans: readonly ProvenanceSpan[], start: number, end: number): ProvenanceSpan[] {
  let position = 0;
  return spans.flatMap((span) => {
    const first = Math.max(start, position);
    const last = Math.min(end, position + span.length);
    const skipped = first - position;
    position += span.length;
    if (last <= first) return [];
    return [{ ...span, offset: (span.offset ?? 0) + skipped, length: last - first }];
  });
}
