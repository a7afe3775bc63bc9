import type { ApiGeneration, ClientConfigResponse } from "@tinkex/types";

/** The encoding of training requests: what the server understands, or one fixed by the caller. */
export type WireChoice = "auto" | "protobuf" | "json";

/** The encodings that the body of a training request may have. */
export type Encoding = Exclude<WireChoice, "auto">;

/** Limits of one training request. */
export interface ChunkLimits {
  /** Most datums. */
  readonly maxLength: number;
  /** Largest sum of sizes; one datum beyond it gets a request of its own. */
  readonly maxSize: number;
  /** The measure of sizes: estimated bytes of an encoding, or a count of numbers. */
  readonly measure: Encoding | "numbers";
}

/**
 * The differences between generations of servers, chosen once by whether the server has a configuration. Servers that have one
 * understand what is newer than the 0.4 generation; what some of them lack is found out where it is used.
 */
export interface ServerGeneration {
  /** The fields that JSON bodies carry. */
  readonly fields: Extract<ApiGeneration, "0.4" | "0.38">;
  readonly preferredEncoding: Encoding;
  /** Tells whether a part of the configuration changes while the client runs. */
  readonly hasDynamicConfig: boolean;
  /** Tells whether a large result can be announced before it is sent. Other servers send every result at once. */
  readonly announcesLargeResults: boolean;
  /** Tells whether a session is told that its client has finished. */
  readonly finishesSessions: boolean;
  /** Tells whether a sampler's base model can be asked for. */
  readonly describesSamplers: boolean;
  /** Gives the limits on the size of one training request. */
  chunkLimits(encoding: Encoding, config: ClientConfigResponse): ChunkLimits;
  /** Tells whether the requests of one training call may travel at the same time. */
  sendsChunksTogether(config: ClientConfigResponse): boolean;
  /** Ways to make a model from a checkpoint, in the order in which they are tried. */
  readonly loadRoutes: readonly [LoadRoute, ...LoadRoute[]];
}

/**
 * The ways to make a model from a checkpoint: `load` makes and loads it with one request; `weights_info` and `training_run` ask what
 * the checkpoint is made of, make a model like it and load into that.
 */
export type LoadRoute = "load" | "weights_info" | "training_run";

/** Limits of servers of the 0.4 generation, which state none. */
export const LEGACY_CHUNK_LIMITS: ChunkLimits = { maxLength: 128, maxSize: 500_000, measure: "numbers" };

/** Plain JSON, as in the 0.4 generation. */
export const LEGACY_GENERATION: ServerGeneration = {
  fields: "0.4",
  preferredEncoding: "json",
  hasDynamicConfig: false,
  announcesLargeResults: false,
  finishesSessions: false,
  describesSamplers: false,
  chunkLimits: () => LEGACY_CHUNK_LIMITS,
  sendsChunksTogether: () => false,
  loadRoutes: ["training_run"],
};

/** Protobuf and a configuration, as since 0.25. */
export const CURRENT_GENERATION: ServerGeneration = {
  fields: "0.38",
  preferredEncoding: "protobuf",
  hasDynamicConfig: true,
  announcesLargeResults: true,
  finishesSessions: true,
  describesSamplers: true,
  chunkLimits: (encoding, config) => ({
    maxLength: config.fwdbwd_max_chunk_len,
    maxSize: config.fwdbwd_max_chunk_bytes_count,
    measure: encoding,
  }),
  sendsChunksTogether: (config) => config.parallel_fwdbwd_chunks,
  loadRoutes: ["load", "weights_info"],
};
