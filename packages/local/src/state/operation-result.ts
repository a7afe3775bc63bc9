import type { ForwardBackwardOutput, SampleResponse } from "@tinkex/types";

/** What an operation gives. The first two kinds have a protobuf form beside the JSON one. */
export type OperationResult =
  | { readonly kind: "forward_backward"; readonly output: ForwardBackwardOutput }
  | { readonly kind: "sample"; readonly response: SampleResponse }
  | { readonly kind: "json"; readonly body: Readonly<Record<string, unknown>> };

export function jsonResult(body: Readonly<Record<string, unknown>>): OperationResult {
  return { kind: "json", body };
}
