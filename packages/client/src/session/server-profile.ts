import { type Clock, type HttpTransport, type Logger, ResponseError } from "@tinkex/base";
import {
  type ClientConfigResponse,
  type ClientDynamicConfigResponse,
  checkReceived,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
  type ResponseOf,
} from "@tinkex/types";
import type { EventHub } from "../events/event-hub.js";
import type { ClientLifecycle } from "../future/client-lifecycle.js";
import { ApiCalls, type ApiCallsOptions, answerTest } from "./api-calls.js";
import {
  type ChunkLimits,
  CURRENT_GENERATION,
  type Encoding,
  LEGACY_GENERATION,
  type ServerGeneration,
} from "./server-generation.js";

/** A server as it describes itself before anything else happens. */
export interface ServerProfile {
  readonly generation: ServerGeneration;
  readonly config: ClientConfigResponse;
  /** Limits of one training request, by the encoding it is written in. */
  readonly chunkLimits: Readonly<Record<Encoding, ChunkLimits>>;
  /** Tells whether the requests of one training call may travel at the same time. */
  readonly sendsChunksTogether: boolean;
  /** The part of the configuration that may change while the client runs. */
  dynamic: ClientDynamicConfigResponse;
}

/** The parts of the client that asking works with. */
interface Asker {
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sdkVersion: string;
  readonly lifecycle: ClientLifecycle;
  readonly events: EventHub;
  readonly onRepeat: ApiCallsOptions["onRepeat"];
}

/**
 * Asks the server for its configuration. A server without one is of the 0.4 generation.
 *
 * @throws what the transport throws, e.g. ApiStatusError for a wrong key; ResponseError for limits that cannot work
 */
export async function readServerProfile(asker: Asker, useTokens: () => void): Promise<ServerProfile> {
  const config = await ask(asker, "client_config");
  if (config === undefined) {
    asker.logger.debug("the server has no client/config: it is treated as one of the 0.4 generation");
    return profileOf(LEGACY_GENERATION, DEFAULT_CONFIG, DEFAULT_DYNAMIC);
  }
  checkLimits(config);
  if (config.pjwt_auth_enabled) useTokens();
  const dynamic = await ask(asker, "client_dynamic_config");
  return profileOf(CURRENT_GENERATION, config, dynamic ?? DEFAULT_DYNAMIC);
}

function profileOf(
  generation: ServerGeneration,
  config: ClientConfigResponse,
  dynamic: ClientDynamicConfigResponse,
): ServerProfile {
  return {
    generation,
    config,
    chunkLimits: {
      protobuf: generation.chunkLimits("protobuf", config),
      json: generation.chunkLimits("json", config),
    },
    sendsChunksTogether: generation.sendsChunksTogether(config),
    dynamic,
  };
}

/** Reads the changing part again, for as long as the client is open. Keeps what it has when that fails. */
export async function refreshDynamicConfig(asker: Asker, profile: ServerProfile): Promise<void> {
  const { clock, logger } = asker;
  const { closing } = asker.lifecycle;
  while (!closing.aborted) {
    try {
      const waitS = Math.max(profile.dynamic.refresh_interval_sec, MIN_REFRESH_S);
      await clock.sleep(waitS * 1000, closing, { background: true });
      const dynamic = await ask(asker, "client_dynamic_config");
      profile.dynamic = dynamic ?? profile.dynamic;
    } catch (error) {
      if (!closing.aborted) logger.debug("the dynamic configuration could not be read again", { error });
    }
  }
}

/** Limits under which nothing would ever be sent, or cut into requests, with the least that works. */
const MIN_LIMITS = {
  sample_max_concurrent_requests: 1,
  fwdbwd_max_chunk_len: 1,
  fwdbwd_max_chunk_bytes_count: 1,
  sample_dispatch_bytes_semaphore_size: 0,
  inflight_response_bytes_semaphore_size: 0,
  fwdbwd_dispatch_bytes_semaphore_size: 0,
} as const satisfies Partial<Record<keyof ClientConfigResponse, number>>;

function checkLimits(config: ClientConfigResponse): void {
  for (const [name, least] of Object.entries(MIN_LIMITS) as [keyof typeof MIN_LIMITS, number][]) {
    if (config[name] >= least) continue;
    throw new ResponseError(
      `client/config says ${name} is ${config[name]}, with which nothing could be sent; it must be ${least} or more`,
    );
  }
}

const MIN_REFRESH_S = 10;
const DEFAULT_CONFIG = checkReceived(clientConfigResponseSchema, {}, "client/config");
const DEFAULT_DYNAMIC = checkReceived(clientDynamicConfigResponseSchema, {}, "client/dynamic_config");

/** One of the two configurations; `undefined` when the server has none. */
async function ask<Name extends "client_config" | "client_dynamic_config">(
  { transport, sdkVersion, lifecycle, events, onRepeat }: Asker,
  name: Name,
): Promise<ResponseOf<Name> | undefined> {
  // A server that knows the endpoint knows the fields too.
  const calls = new ApiCalls({ transport, sdkVersion, generation: "0.38", events, onRepeat });
  const body = calls.encode<"client_config" | "client_dynamic_config">(name, { sdk_version: sdkVersion });
  const isReadable = answerTest(name);
  const options = { returnStatuses: [404], signal: lifecycle.closing, isReadable };
  const response = await calls.post(name, body, options);
  return response.status === 404 ? undefined : calls.decode(name, response.body);
}
