import * as z from "zod";
import { listOf } from "../json/bounded-collections.js";
import { requestBody, sequenceId, userMetadata } from "./request-body.js";

/** Body of `create_session`. */
export const createSessionBody = requestBody({
  tags: listOf(z.string()).default([]),
  user_metadata: userMetadata.optional(),
  sdk_version: z.string().optional(),
  project_id: z.string().optional(),
  display_name: z.string().optional(),
});

/** Body of `session_heartbeat`. */
export const heartbeatBody = requestBody({ session_id: z.string() });

/** Body of `finish_session`. */
export const finishSessionBody = requestBody({
  reason: requestBody({ type: z.string().default("success") }).optional(),
});

/** Body of `create_sampling_session`: from a base model, or from a checkpoint. */
export const createSamplingSessionBody = requestBody({
  session_id: z.string(),
  sampling_session_seq_id: sequenceId,
  base_model: z.string().optional(),
  model_path: z.string().optional(),
});

/** Body of `retrieve_future`. */
export const retrieveFutureBody = requestBody({ request_id: z.string() });

/** Body of `weights_info`. */
export const weightsInfoBody = requestBody({ tinker_path: z.string() });

export type CreateSamplingSessionBody = z.infer<typeof createSamplingSessionBody>;
