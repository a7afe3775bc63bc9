import * as z from "zod";
import { receivedObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";

/** A model the service offers. */
export interface SupportedModel {
  readonly model_name?: string;
  /** Tokens. Since 0.18. */
  readonly max_context_length?: number;
  /** Absent: not stated. Since 0.38. */
  readonly trainable?: boolean;
  readonly sampleable?: boolean;
  /** Extension of the local server: the directory of the model, for clients on the same machine. */
  readonly tokenizer_id?: string;
  /** Extension of the local server: this model serves requests for every model that is not listed. */
  readonly stands_in?: boolean;
  /** Extension of the local server: form of the linear layers, `int8` or `int4`. Absent: as the model has them. */
  readonly weights?: string;
}

/** Models that the service offers. */
export interface GetServerCapabilitiesResponse {
  readonly supported_models: readonly SupportedModel[];
}

/** Health of the service. */
export interface HealthResponse {
  /** `ok`. */
  readonly status: string;
}

/** Ticket that answers every request which starts work: the id under which its result will be. */
export interface UntypedAPIFuture {
  readonly request_id: string;
  readonly model_id?: string;
  /** One id per requested sample, in the order of the final sequences. From 0.38 servers, for samples. */
  readonly sample_sequence_ids?: readonly string[];
}

export const supportedModelSchema: RecordSchema<SupportedModel> = receivedObject(() => ({
  model_name: z.string().exactOptional(),
  max_context_length: z.int().exactOptional(),
  trainable: z.boolean().exactOptional(),
  sampleable: z.boolean().exactOptional(),
  tokenizer_id: z.string().exactOptional(),
  stands_in: z.boolean().exactOptional(),
  weights: z.string().exactOptional(),
}));

export const getServerCapabilitiesResponseSchema: RecordSchema<GetServerCapabilitiesResponse> =
  receivedObject(() => ({
    supported_models: z.array(zodOf(supportedModelSchema)),
  }));

export const healthResponseSchema: RecordSchema<HealthResponse> = receivedObject(() => ({
  status: z.string(),
}));

export const untypedApiFutureSchema: RecordSchema<UntypedAPIFuture> = receivedObject(() => ({
  request_id: z.string(),
  model_id: z.string().exactOptional(),
  sample_sequence_ids: z.array(z.string()).exactOptional(),
}));
