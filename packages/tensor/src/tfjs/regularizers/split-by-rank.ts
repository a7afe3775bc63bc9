import type { Tensor } from "@tensorflow/tfjs-core";
import type { Datum } from "@tinkex/types/base";

/** Datums and their tensors, in the same order. */
export interface Batch {
  readonly data: readonly Datum[];
  readonly logprobs: readonly Tensor[];
}

/** Datums by what their targets are: one token a position, or several candidates. */
export function splitByRank({ data, logprobs }: Batch): {
  readonly sampled: Batch;
  readonly candidates: Batch;
} {
  const part = (isCandidates: boolean): Batch => ({
    data: data.filter((_, index) => hasCandidates(logprobs[index]) === isCandidates),
    logprobs: logprobs.filter((tensor) => hasCandidates(tensor) === isCandidates),
  });
  return { sampled: part(false), candidates: part(true) };
}

function hasCandidates(tensor: Tensor | undefined): boolean {
  return (tensor?.shape.length ?? 0) > 1;
}
