import * as z from "zod";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** Asks for either configuration below. Since 0.18. */
export interface ClientConfigRequest {
  readonly sdk_version: string;
}

/** Behaviour that the service wants of its clients. Every field has a default; unknown ones are kept. */
export interface ClientConfigResponse {
  /** Exchange the key for a short-lived JWT. @defaultValue false */
  readonly pjwt_auth_enabled: boolean;
  /** `credential_cmd` asks for the command credential. @defaultValue "api_key" */
  readonly credential_default_source: string;
  /** Bytes of prompts being submitted at a time. @defaultValue 10485760 */
  readonly sample_dispatch_bytes_semaphore_size: number;
  /** Bytes of large results being fetched at a time. @defaultValue 52428800 */
  readonly inflight_response_bytes_semaphore_size: number;
  /** Send the chunks of one training call at once. @defaultValue true */
  readonly parallel_fwdbwd_chunks: boolean;
  /** Compress training requests with zstd. @defaultValue false */
  readonly proto_compress_fwdbwd: boolean;
  /** Datums per training request. @defaultValue 1024 */
  readonly fwdbwd_max_chunk_len: number;
  /** Estimated bytes per training request. @defaultValue 5000000 */
  readonly fwdbwd_max_chunk_bytes_count: number;
  /** Bytes of training requests being submitted at a time. @defaultValue 50000000 */
  readonly fwdbwd_dispatch_bytes_semaphore_size: number;
  /** Seconds that HTTP 402 pauses a call before it fails. @defaultValue 3600 */
  readonly billing_exception_max_pause_duration_sec: number;
  /** @defaultValue false */
  readonly sample_no_retries: boolean;
  /** @defaultValue true */
  readonly sample_enable_stuck_detection: boolean;
  /** @defaultValue 2000 */
  readonly sample_max_concurrent_requests: number;
  /** Learn of finished samples from one poll per sampler. Since 0.38. @defaultValue false */
  readonly sample_use_retrieve_futures: boolean;
  /** Upload custom losses and run them on the server. Since 0.38. @defaultValue false */
  readonly custom_loss_server_side: boolean;
  /** Ask for the number of a cloned sampler. Since 0.38. @defaultValue false */
  readonly sample_join_sampling_session: boolean;
  /** Create from a checkpoint with one request. 0.24 and 0.25 only; always on later. @defaultValue false */
  readonly create_model_via_load_weights: boolean;
}

/** Configuration that may change while a client runs. Since 0.25. */
export interface ClientDynamicConfigResponse {
  /** Seconds until this should be read again. @defaultValue 300 */
  readonly refresh_interval_sec: number;
  /** Tell the server about abandoned samples. Since 0.38. @defaultValue false */
  readonly sample_cancel_enabled: boolean;
  /** Cancellations at a time. Since 0.38. @defaultValue 64 */
  readonly sample_cancel_max_batch_size: number;
}

export const clientConfigRequestSchema: RecordSchema<ClientConfigRequest> = sentObject(() => ({
  sdk_version: z.string().min(1),
}));

export const clientConfigResponseSchema: RecordSchema<ClientConfigResponse> = receivedObject(() => ({
  pjwt_auth_enabled: z.boolean().default(false),
  credential_default_source: z.string().default("api_key"),
  sample_dispatch_bytes_semaphore_size: z.int().default(10_485_760),
  inflight_response_bytes_semaphore_size: z.int().default(52_428_800),
  parallel_fwdbwd_chunks: z.boolean().default(true),
  proto_compress_fwdbwd: z.boolean().default(false),
  fwdbwd_max_chunk_len: z.int().default(1024),
  fwdbwd_max_chunk_bytes_count: z.int().default(5_000_000),
  fwdbwd_dispatch_bytes_semaphore_size: z.int().default(50_000_000),
  billing_exception_max_pause_duration_sec: z.int().default(3600),
  sample_no_retries: z.boolean().default(false),
  sample_enable_stuck_detection: z.boolean().default(true),
  sample_max_concurrent_requests: z.int().default(2000),
  sample_use_retrieve_futures: z.boolean().default(false),
  custom_loss_server_side: z.boolean().default(false),
  sample_join_sampling_session: z.boolean().default(false),
  create_model_via_load_weights: z.boolean().default(false),
}));

export const clientDynamicConfigResponseSchema: RecordSchema<ClientDynamicConfigResponse> = receivedObject(
  () => ({
    refresh_interval_sec: z.int().default(300),
    sample_cancel_enabled: z.boolean().default(false),
    sample_cancel_max_batch_size: z.int().default(64),
  }),
);
