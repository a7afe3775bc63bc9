import type { LossFnConfig, ProvenanceSpan } from "@tinkex/types";
import type { ProtoWriter } from "../proto-bytes/proto-writer.js";

// The parts of a training request that few requests have.

/** Writes the provenance of tokens as this field, one message for each run. */
export function writeSpans(writer: ProtoWriter, field: number, spans: readonly ProvenanceSpan[]): void {
  for (const span of spans.toReversed()) {
    const mark = writer.length;
    writer.varintField(3, span.length);
    writer.varintField(2, span.offset ?? 0);
    writer.stringField(1, span.sequence_id);
    writer.message(span.type === "prompt_tokens" ? 1 : 2, mark);
    writer.message(field, mark);
  }
}

/** Writes the options of a loss as the older map, of doubles alone. */
export function writeNumberConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config).toReversed()) {
    if (typeof value !== "number") continue;
    const mark = writer.length;
    writer.doubleField(2, value);
    writer.presentString(1, key);
    writer.message(5, mark);
  }
}

/** Writes them as the newer map (0.38), of numbers and strings; a server that knows it ignores the older one. */
export function writeTaggedConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config).toReversed()) {
    const mark = writer.length;
    if (typeof value === "number") writer.doubleField(1, value);
    else writer.presentString(2, value);
    writer.message(2, mark);
    writer.presentString(1, key);
    writer.message(7, mark);
  }
}
