import * as z from "zod";
import { receivedType, sentType } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** Makes a base model or saved weights ready to sample from. At least one of the two names is given. */
export interface CreateSamplingSessionRequest {
  readonly session_id: string;
  /** The session's own count of sampling sessions, from 0; shared with unnamed sampler saves. */
  readonly sampling_session_seq_id: number;
  readonly base_model?: string | undefined;
  /** A `tinker://` path. */
  readonly model_path?: string | undefined;
  readonly type?: "create_sampling_session" | undefined;
}

/** The sampling session that was made. */
export interface CreateSamplingSessionResponse {
  readonly sampling_session_id: string;
  readonly type?: string;
}

/** Asks for a number of its own for a copied sampler. Since 0.38; each call uses one up. */
export interface JoinSamplingSessionRequest {
  readonly sampling_session_id: string;
  readonly type?: "join_sampling_session" | undefined;
}

/** The number of a copied sampler. Since 0.38. */
export interface JoinSamplingSessionResponse {
  /** The original client is 0; a clone counts its requests from `client_counter × 10⁹`. */
  readonly client_counter: number;
  readonly type?: string;
}

/** Model that a sampler samples from. Since 0.6. */
export interface GetSamplerResponse {
  readonly sampler_id: string;
  readonly base_model: string;
  readonly model_path?: string;
}

export const createSamplingSessionRequestSchema: RecordSchema<CreateSamplingSessionRequest> = sentObject(
  () => ({
    session_id: z.string().min(1),
    sampling_session_seq_id: countSchema,
    base_model: z.string().min(1).optional(),
    model_path: z.string().startsWith("tinker://", "must be a tinker:// path").optional(),
    type: sentType("create_sampling_session"),
  }),
).refine((request) => request.base_model !== undefined || request.model_path !== undefined, {
  error: "base_model or model_path must be given",
});

export const createSamplingSessionResponseSchema: RecordSchema<CreateSamplingSessionResponse> =
  receivedObject(() => ({
    sampling_session_id: z.string(),
    type: receivedType(),
  }));

export const joinSamplingSessionRequestSchema: RecordSchema<JoinSamplingSessionRequest> = sentObject(() => ({
  sampling_session_id: z.string().min(1),
  type: sentType("join_sampling_session"),
}));

export const joinSamplingSessionResponseSchema: RecordSchema<JoinSamplingSessionResponse> = receivedObject(
  () => ({
    client_counter: countSchema,
    type: receivedType(),
  }),
);

export const getSamplerResponseSchema: RecordSchema<GetSamplerResponse> = receivedObject(() => ({
  sampler_id: z.string(),
  base_model: z.string(),
  model_path: z.string().exactOptional(),
}));
