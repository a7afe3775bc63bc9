import type { LossName } from "../../losses/loss-table.js";
import type { GoldenAdam } from "./golden-adam.js";
import type { GoldenDatum } from "./golden-datum.js";

export interface GoldenPass {
  readonly data: string;
  readonly loss_sum: number;
  readonly logprobs: readonly (readonly number[])[];
  readonly gradients: string;
  readonly loss_fn_config?: Readonly<Record<string, number>>;
  readonly variant?: { readonly loss_fn_config: Readonly<Record<string, number>>; readonly loss_sum: number };
}

export interface GoldenCase {
  readonly model: string;
  readonly lora_config: {
    readonly rank: number;
    readonly train_attn: boolean;
    readonly train_mlp: boolean;
    readonly train_unembed: boolean;
  };
  readonly data: Readonly<Record<string, readonly GoldenDatum[]>>;
  readonly forward_backward: Readonly<Partial<Record<LossName, GoldenPass>>>;
  readonly training: {
    readonly loss_fn: LossName;
    readonly adam_params: GoldenAdam;
    readonly steps: readonly {
      readonly loss_before: number;
      readonly grad_norm: number;
      readonly loss_after: number;
      readonly parameters?: string;
    }[];
  };
}
