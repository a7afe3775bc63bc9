import * as z from "zod";
import { receivedObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** A short-lived token in exchange for the key. Since 0.18. */
export interface AuthTokenResponse {
  readonly jwt: string;
}

/** Owner of a token: made from its claims, not an answer of the service. Since 0.23. */
export interface WhoamiResponse {
  readonly user_urn: string;
  readonly email?: string;
  /** Since 0.38. */
  readonly org_urn?: string;
}

/** Key that a request carried, and its owner. Since 0.38. */
export interface ApiKeyInfoResponse {
  readonly key_id: number;
  readonly name: string;
  readonly note: string;
  readonly details: {
    readonly org_details: { readonly name: string };
    readonly user_details: { readonly email: string };
  };
}

export const authTokenResponseSchema: RecordSchema<AuthTokenResponse> = receivedObject(() => ({
  jwt: z.string(),
}));

export const whoamiResponseSchema: RecordSchema<WhoamiResponse> = receivedObject(() => ({
  user_urn: z.string(),
  email: z.string().exactOptional(),
  org_urn: z.string().exactOptional(),
}));

export const apiKeyInfoResponseSchema: RecordSchema<ApiKeyInfoResponse> = receivedObject(() => ({
  key_id: z.int(),
  name: z.string(),
  note: z.string(),
  details: receivedObject(() => ({
    org_details: receivedObject(() => ({ name: z.string() })),
    user_details: receivedObject(() => ({ email: z.string() })),
  })),
}));
