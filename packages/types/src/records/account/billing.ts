import * as z from "zod";
import { receivedObject, sentObject } from "../../schema/objects.js";
import { byType } from "../../schema/one-of-kinds.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { sentTimestampSchema, type Timestamp, timestampSchema } from "../data/timestamp.js";

/** Hours of usage to report: the query of a GET. Both on a full UTC hour, at most 14 days apart. Since 0.23. */
export interface GetBillingUsageRequest {
  /** Inclusive. */
  readonly starting_on: Timestamp;
  /** Exclusive. */
  readonly ending_before: Timestamp;
}

/** Use of the service, by `type`; a kind we do not know is kept with its fields. */
export type BillingEventInfo =
  | { readonly type: "training"; readonly token_count: number }
  | { readonly type: "sampling_prefill"; readonly cached: boolean; readonly token_count: number }
  | { readonly type: "sampling_sample"; readonly token_count: number }
  | { readonly type: "checkpoint"; readonly count: number }
  | { readonly type: "storage"; readonly free: boolean; readonly gigabyte_hours: number }
  | { readonly type: string & {}; readonly [field: string]: unknown };

/** Usage of one kind within one hour. Money is an estimate in gross US dollars before credits; since 0.38. */
export interface BillingUsageEvent {
  readonly bucket_start: Timestamp;
  readonly bucket_end: Timestamp;
  readonly base_model?: string;
  readonly user_id?: string;
  readonly user_name?: string;
  readonly session_id?: string;
  readonly project_id?: string;
  readonly event_info: BillingEventInfo;
  readonly estimated_cost_usd?: number;
  readonly effective_rate_usd_per_million_tokens?: number;
  /** A month is 720 hours. */
  readonly effective_rate_usd_per_gigabyte_month?: number;
}

/** Metadata that its creator gave a session for which usage is reported. */
export interface BillingUsageSession {
  readonly user_metadata?: Readonly<Record<string, string>>;
}

/** Usage by hour. Since 0.23. */
export interface BillingUsageResponse {
  readonly data: readonly BillingUsageEvent[];
  /** By session id. */
  readonly sessions: Readonly<Record<string, BillingUsageSession>>;
  /** Estimates before this come from invoices, later ones from the price list. Since 0.38. */
  readonly cost_data_through?: Timestamp;
}

/** Project whose checkpoints to count: the query of a GET; absent: the whole organisation. Since 0.38. */
export interface GetCurrentCheckpointStorageUsageRequest {
  readonly project_id?: string | undefined;
}

/** Storage that the checkpoints of one project and one owner take. */
export interface CheckpointStorageUsage {
  readonly project_id?: string;
  readonly org_user_urn?: string;
  readonly user_email?: string;
  readonly user_name?: string;
  readonly checkpoint_count: number;
  readonly size_bytes: number;
  readonly size_gigabytes: number;
  readonly estimated_monthly_cost_usd?: number;
}

/** Storage that checkpoints take now. Since 0.38. */
export interface CurrentCheckpointStorageUsageResponse {
  readonly effective_rate_usd_per_gigabyte_month?: number;
  readonly data: readonly CheckpointStorageUsage[];
}

export const getBillingUsageRequestSchema: RecordSchema<GetBillingUsageRequest> = sentObject(() => ({
  starting_on: sentTimestampSchema,
  ending_before: sentTimestampSchema,
}));

export const billingEventInfoSchema: RecordSchema<BillingEventInfo> = byType<BillingEventInfo>(
  {
    training: receivedObject(() => ({ type: z.literal("training"), token_count: z.int() })),
    sampling_prefill: receivedObject(() => ({
      type: z.literal("sampling_prefill"),
      cached: z.boolean(),
      token_count: z.int(),
    })),
    sampling_sample: receivedObject(() => ({ type: z.literal("sampling_sample"), token_count: z.int() })),
    checkpoint: receivedObject(() => ({ type: z.literal("checkpoint"), count: z.int() })),
    storage: receivedObject(() => ({
      type: z.literal("storage"),
      free: z.boolean().default(false),
      gigabyte_hours: z.number(),
    })),
  },
  z.looseObject({ type: z.string() }),
);

export const billingUsageEventSchema: RecordSchema<BillingUsageEvent> = receivedObject(() => ({
  bucket_start: timestampSchema,
  bucket_end: timestampSchema,
  base_model: z.string().exactOptional(),
  user_id: z.string().exactOptional(),
  user_name: z.string().exactOptional(),
  session_id: z.string().exactOptional(),
  project_id: z.string().exactOptional(),
  event_info: zodOf(billingEventInfoSchema),
  estimated_cost_usd: z.number().exactOptional(),
  effective_rate_usd_per_million_tokens: z.number().exactOptional(),
  effective_rate_usd_per_gigabyte_month: z.number().exactOptional(),
}));

export const billingUsageSessionSchema: RecordSchema<BillingUsageSession> = receivedObject(() => ({
  user_metadata: z.record(z.string(), z.string()).exactOptional(),
}));

export const billingUsageResponseSchema: RecordSchema<BillingUsageResponse> = receivedObject(() => ({
  data: z.array(zodOf(billingUsageEventSchema)),
  sessions: z.record(z.string(), zodOf(billingUsageSessionSchema)).default({}),
  cost_data_through: timestampSchema.exactOptional(),
}));

export const getCurrentCheckpointStorageUsageRequestSchema: RecordSchema<GetCurrentCheckpointStorageUsageRequest> =
  sentObject(() => ({ project_id: z.string().optional() }));

export const checkpointStorageUsageSchema: RecordSchema<CheckpointStorageUsage> = receivedObject(() => ({
  project_id: z.string().exactOptional(),
  org_user_urn: z.string().exactOptional(),
  user_email: z.string().exactOptional(),
  user_name: z.string().exactOptional(),
  checkpoint_count: z.int(),
  size_bytes: z.int(),
  size_gigabytes: z.number(),
  estimated_monthly_cost_usd: z.number().exactOptional(),
}));

export const currentCheckpointStorageUsageResponseSchema: RecordSchema<CurrentCheckpointStorageUsageResponse> =
  receivedObject(() => ({
    effective_rate_usd_per_gigabyte_month: z.number().exactOptional(),
    data: z.array(zodOf(checkpointStorageUsageSchema)),
  }));
