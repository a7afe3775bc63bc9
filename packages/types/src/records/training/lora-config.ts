import * as z from "zod";
import { int64Schema } from "../../schema/numbers.js";
import { sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** The LoRA adapter of a model. */
export interface LoraConfig {
  /** Dimension of the adapter. */
  readonly rank: number;
  /** Seed of the initial weights; absent: the server draws one. */
  readonly seed?: number | bigint | undefined;
  /** @defaultValue true */
  readonly train_unembed?: boolean | undefined;
  /** @defaultValue true */
  readonly train_mlp?: boolean | undefined;
  /** @defaultValue true */
  readonly train_attn?: boolean | undefined;
}

/** The defaults of {@link LoraConfig}; `rank` is that of the SDKs, the others are the service's. */
export const LoraConfig = {
  defaults: { rank: 32, train_unembed: true, train_mlp: true, train_attn: true },
} as const satisfies { readonly defaults: LoraConfig };

export const loraConfigSchema: RecordSchema<LoraConfig> = sentObject(() => ({
  rank: z.int().min(1),
  seed: int64Schema.optional(),
  train_unembed: withDefault(z.boolean(), LoraConfig.defaults.train_unembed),
  train_mlp: withDefault(z.boolean(), LoraConfig.defaults.train_mlp),
  train_attn: withDefault(z.boolean(), LoraConfig.defaults.train_attn),
})).refine(
  (config) => config.train_unembed !== false || config.train_mlp !== false || config.train_attn !== false,
  {
    error: "at least one of train_unembed, train_mlp and train_attn must be true",
  },
);
