import { type HttpTransport, ResponseError } from "@tinkex/base";
import {
  type ClientConfigResponse,
  type ClientDynamicConfigResponse,
  checkReceived,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
  type Records,
} from "@tinkex/types";
import { decodeJsonResponse, encodeJsonRequest } from "@tinkex/wire";
import type { ClientSettings } from "../service/settings.js";
import { CURRENT_GENERATION, type Generation, LEGACY_GENERATION } from "./server-generation.js";

/** What a server says of itself before anything else happens. */
export interface ServerProfile {
  readonly generation: Generation;
  readonly config: ClientConfigResponse;
  /** The part of the configuration that may change while the client runs. */
  dynamic: ClientDynamicConfigResponse;
}

/** What asking needs. */
interface Asker {
  readonly settings: ClientSettings;
  readonly transport: HttpTransport;
  readonly closing: AbortSignal;
}

/**
 * Asks the server for its configuration. A server without one is of the 0.4 generation.
 *
 * @throws what the transport throws, e.g. ApiStatusError for a wrong key; ResponseError for limits that cannot work
 */
export async function readServerProfile(asker: Asker): Promise<ServerProfile> {
  const config = await ask(asker, "client_config", "ClientConfigResponse");
  if (config === undefined) {
    asker.settings.logger.debug(
      "the server has no client/config: it is treated as one of the 0.4 generation",
    );
    return { generation: LEGACY_GENERATION, config: DEFAULT_CONFIG, dynamic: DEFAULT_DYNAMIC };
  }
  checkLimits(config);
  if (config.pjwt_auth_enabled) asker.settings.useTokens();
  const dynamic = await ask(asker, "client_dynamic_config", "ClientDynamicConfigResponse");
  return { generation: CURRENT_GENERATION, config, dynamic: dynamic ?? DEFAULT_DYNAMIC };
}

/** Reads the changing part again, for as long as the client is open. Keeps what it has when that fails. */
export async function refreshDynamicConfig(asker: Asker, profile: ServerProfile): Promise<void> {
  const { clock, logger } = asker.settings;
  while (!asker.closing.aborted) {
    try {
      const waitS = Math.max(profile.dynamic.refresh_interval_sec, SHORTEST_REFRESH_S);
      await clock.sleep(waitS * 1000, asker.closing, { background: true });
      const dynamic = await ask(asker, "client_dynamic_config", "ClientDynamicConfigResponse");
      profile.dynamic = dynamic ?? profile.dynamic;
    } catch (error) {
      if (!asker.closing.aborted)
        logger.debug("the dynamic configuration could not be read again", { error });
    }
  }
}

/** Limits under which nothing would ever be sent, or cut into requests, with the least that works. */
const LEAST = {
  sample_max_concurrent_requests: 1,
  fwdbwd_max_chunk_len: 1,
  fwdbwd_max_chunk_bytes_count: 1,
  sample_dispatch_bytes_semaphore_size: 0,
  inflight_response_bytes_semaphore_size: 0,
  fwdbwd_dispatch_bytes_semaphore_size: 0,
} as const satisfies Partial<Record<keyof ClientConfigResponse, number>>;

function checkLimits(config: ClientConfigResponse): void {
  for (const [name, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][]) {
    if (config[name] >= least) continue;
    throw new ResponseError(
      `client/config says ${name} is ${config[name]}, with which nothing could be sent; it must be ${least} or more`,
    );
  }
}

const SHORTEST_REFRESH_S = 10;
const DEFAULT_CONFIG = checkReceived(clientConfigResponseSchema, {}, "client/config");
const DEFAULT_DYNAMIC = checkReceived(clientDynamicConfigResponseSchema, {}, "client/dynamic_config");

/** One of the two configurations; `undefined` when the server has none. */
async function ask<Name extends "ClientConfigResponse" | "ClientDynamicConfigResponse">(
  asker: Asker,
  operation: string,
  name: Name,
): Promise<Records[Name] | undefined> {
  const { body } = encodeJsonRequest(
    "ClientConfigRequest",
    { sdk_version: asker.settings.sdkVersion },
    { generation: "0.38" },
  );
  const response = await asker.transport.call({
    operation,
    body,
    returnStatuses: [404],
    signal: asker.closing,
  });
  return response.status === 404 ? undefined : decodeJsonResponse(name, response.body);
}
