import type { ClientConfigResponse } from "@tinkex/types";
import type { Encoding } from "../channel/encoding-fallback.js";
import {
  type ChunkLimits,
  configuredChunkLimits,
  LEGACY_CHUNK_LIMITS,
} from "../training/passes/split-into-chunks.js";

/**
 * What differs between generations of servers, chosen once by whether the server has a configuration. Servers that have one
 * understand what is newer than the 0.4 generation; what some of them lack is found out where it is used.
 */
export interface Generation {
  /** The fields that JSON bodies carry. */
  readonly fields: "0.4" | "0.38";
  readonly preferredEncoding: Encoding;
  /** Whether a session is told that its client has finished. */
  readonly finishesSessions: boolean;
  /** Whether a sampler's base model can be asked for. */
  readonly describesSamplers: boolean;
  /** How large the requests of a training call may be. */
  chunkLimits(encoding: Encoding, config: ClientConfigResponse): ChunkLimits;
  /** Whether the requests of one training call may travel at the same time. */
  sendsChunksTogether(config: ClientConfigResponse): boolean;
  /** Ways to make a model from a checkpoint, in the order in which they are tried. */
  readonly loadRoutes: readonly [LoadRoute, ...LoadRoute[]];
}

/**
 * How a model is made from a checkpoint: `load` makes and loads it with one request; `weights_info` and `training_run` ask what
 * the checkpoint is made of, make a model like it and load into that.
 */
export type LoadRoute = "load" | "weights_info" | "training_run";

/** Plain JSON, as in the 0.4 generation. */
export const LEGACY_GENERATION: Generation = {
  fields: "0.4",
  preferredEncoding: "json",
  finishesSessions: false,
  describesSamplers: false,
  chunkLimits: () => LEGACY_CHUNK_LIMITS,
  sendsChunksTogether: () => false,
  loadRoutes: ["training_run"],
};

/** Protobuf and a configuration, as since 0.25. */
export const CURRENT_GENERATION: Generation = {
  fields: "0.38",
  preferredEncoding: "protobuf",
  finishesSessions: true,
  describesSamplers: true,
  chunkLimits: (encoding, config) =>
    configuredChunkLimits(encoding, {
      maxLength: config.fwdbwd_max_chunk_len,
      maxBytes: config.fwdbwd_max_chunk_bytes_count,
    }),
  sendsChunksTogether: (config) => config.parallel_fwdbwd_chunks,
  loadRoutes: ["load", "weights_info"],
};
