import type { Datum } from "@tinkex/types";
import { type DatumSize, jsonBytes, numberCount, protobufBytes } from "./datum-size.js";

/** How large one training request may be. */
export interface ChunkLimits {
  /** Most datums. */
  readonly maxLength: number;
  /** Largest sum of `size`; one datum beyond it gets a request of its own. */
  readonly maxSize: number;
  readonly size: DatumSize;
}

/** A run of datums that travels in one request. */
export interface DataChunk {
  readonly data: readonly Datum[];
  readonly size: number;
}

/** Limits of servers of the 0.4 generation, which state none. */
export const LEGACY_CHUNK_LIMITS: ChunkLimits = { maxLength: 128, maxSize: 500_000, size: numberCount };

/** Limits a server's configuration states, measured as the body's encoding does. */
export function configuredChunkLimits(
  encoding: "protobuf" | "json",
  config: { readonly maxLength: number; readonly maxBytes: number },
): ChunkLimits {
  const size = encoding === "protobuf" ? protobufBytes : jsonBytes;
  return { maxLength: config.maxLength, maxSize: config.maxBytes, size };
}

/** Cuts data into runs within `limits`, in order, as few as taking the most each time gives. No datum is cut. */
export function splitIntoChunks(data: readonly Datum[], limits: ChunkLimits): DataChunk[] {
  const chunks: DataChunk[] = [];
  let start = 0;
  let size = 0;
  for (const [index, datum] of data.entries()) {
    const datumSize = limits.size(datum);
    const length = index - start;
    if (length > 0 && (size + datumSize > limits.maxSize || length === limits.maxLength)) {
      chunks.push({ data: data.slice(start, index), size });
      start = index;
      size = 0;
    }
    size += datumSize;
  }
  if (start < data.length) chunks.push({ data: data.slice(start), size });
  return chunks;
}
