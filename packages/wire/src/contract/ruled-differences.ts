import type { RequestName } from "../json/request-records.js";

/** Difference of our bodies from the recorded ones, on purpose. */
export interface RuledDifference {
  readonly name: RequestName;
  readonly reason: string;
  /** Changes a recorded body to what we send in its place; gives undefined for a body we never send. */
  readonly change: (body: Record<string, unknown>) => Record<string, unknown> | undefined;
}

const NEWER_DEFAULT =
  "newer than 0.25 and at its default: servers with strict bodies refuse what they do not know";

function withoutDefault(name: RequestName, field: string, value: unknown): RuledDifference {
  return {
    name,
    reason: `${field} is ${NEWER_DEFAULT}`,
    change: ({ [field]: given, ...rest }) =>
      JSON.stringify(given) === JSON.stringify(value) || given === undefined
        ? rest
        : { ...rest, [field]: given },
  };
}

/** One list, read by the contract tests; each entry has its reason. */
export const ruledDifferences: readonly RuledDifference[] = [
  withoutDefault("CreateModelRequest", "optimizer_config", { type: "adamw" }),
  withoutDefault("SaveWeightsForSamplerRequest", "kind", "snapshot"),
  withoutDefault("SampleRequest", "topk_sample_logprobs", 0),
  withoutDefault("SampleRequest", "prompt_alt_tokens_k", 0),
  withoutDefault("SampleRequest", "record_stability_info", false),
];
