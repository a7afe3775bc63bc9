/** Fields of recorded bodies that ours leave out at these values: newer than 0.25, they travel only when they say something, since strict servers refuse them. */
export const AT_DEFAULT: readonly {
  readonly path: string;
  readonly field: string;
  readonly value: unknown;
}[] = [
  { path: "create_model", field: "optimizer_config", value: { type: "adamw" } },
  { path: "save_weights_for_sampler", field: "kind", value: "snapshot" },
  { path: "asample", field: "topk_sample_logprobs", value: 0 },
  { path: "asample", field: "prompt_alt_tokens_k", value: 0 },
  { path: "asample", field: "record_stability_info", value: false },
];

const REFUSED = "what was refused before it was sent has used no number";

/** Numbers that the official SDK used and ours did not, so that ours of the same model or sampler are one less from there on. */
export const UNUSED_NUMBERS: readonly {
  /** Scenario and version. */
  readonly in: string;
  /** End of the id of the model or sampler. */
  readonly of: string;
  readonly seqId: number;
  readonly why: string;
}[] = [
  { in: "losses 0.4.1", of: "1:train:0", seqId: 11, why: REFUSED },
  {
    in: "losses 0.4.1",
    of: "1:train:0",
    seqId: 14,
    why: "0.4.1 used a number up for data that it then refused itself",
  },
  { in: "losses 0.4.1", of: "1:train:0", seqId: 15, why: "as above" },
  { in: "losses 0.25.0", of: "1:train:0", seqId: 14, why: REFUSED },
  { in: "losses 0.25.0", of: "1:train:0", seqId: 18, why: REFUSED },
  { in: "losses 0.38.0", of: "1:train:0", seqId: 18, why: REFUSED },
  { in: "losses 0.38.0", of: "1:train:0", seqId: 23, why: REFUSED },
  {
    in: "errors 0.4.1",
    of: "1:train:0",
    seqId: 4,
    why: "the number of a request that was refused whole is used again",
  },
  { in: "errors 0.25.0", of: "1:train:0", seqId: 4, why: "as above" },
  { in: "errors 0.38.0", of: "1:train:0", seqId: 4, why: "as above" },
  { in: "custom-loss 0.4.1", of: "1:train:0", seqId: 12, why: REFUSED },
];
