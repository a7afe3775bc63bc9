import { HASH_REDUCERS, METRIC_REDUCERS } from "./metric-reducers.js";

/** What one chunk of a call reported. */
export interface ChunkMetrics {
  readonly metrics: Readonly<Record<string, number>>;
  /** Datums in the chunk: the weight of its means. */
  readonly datumCount: number;
}

/** Metrics of a whole call. */
export interface ReducedMetrics {
  readonly metrics: Readonly<Record<string, number>>;
  /** Hashes among them, exactly; as numbers they lose their low bits. */
  readonly exactMetrics: Readonly<Record<string, bigint>>;
}

/**
 * Joins the metrics of the chunks of one call, by the reduction each name ends in (`loss:sum`).
 *
 * The keys are those of the first chunk that all chunks have. A key with an unknown reduction is left out. One without exactly
 * one colon names no reduction: it stays when all chunks agree on its value. A metric never fails a training step.
 */
export function reduceMetrics(chunks: readonly ChunkMetrics[]): ReducedMetrics {
  const metrics: Record<string, number> = {};
  const exactMetrics: Record<string, bigint> = {};
  for (const key of Object.keys(chunks[0]?.metrics ?? {})) {
    const values = valuesOf(key, chunks);
    if (values === undefined) continue;
    const [first] = values;
    const reduction = reductionOf(key);
    if (reduction === undefined) {
      if (first !== undefined && values.every((value) => Object.is(value, first))) metrics[key] = first;
    } else if (reduction === "unique") {
      for (const [index, value] of values.entries()) metrics[index === 0 ? key : `${key}_${index}`] = value;
    } else if (Object.hasOwn(HASH_REDUCERS, reduction)) {
      const hash = values.every(Number.isFinite) ? HASH_REDUCERS[reduction]?.(values) : undefined;
      metrics[key] = hash === undefined ? Number.NaN : Number(hash);
      if (hash !== undefined) exactMetrics[key] = hash;
    } else if (Object.hasOwn(METRIC_REDUCERS, reduction)) {
      const weighted = values.map((value, index) => ({ value, weight: chunks[index]?.datumCount ?? 0 }));
      metrics[key] = METRIC_REDUCERS[reduction]?.(weighted) ?? Number.NaN;
    }
  }
  return { metrics, exactMetrics };
}

/** The key's value in each chunk, or `undefined` when a chunk lacks it. */
function valuesOf(key: string, chunks: readonly ChunkMetrics[]): number[] | undefined {
  const values: number[] = [];
  for (const { metrics } of chunks) {
    const value = Object.hasOwn(metrics, key) ? metrics[key] : undefined;
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function reductionOf(key: string): string | undefined {
  const parts = key.split(":");
  return parts.length === 2 ? parts[1] : undefined;
}
