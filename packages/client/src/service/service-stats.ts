import type { HttpTransport } from "@tinkex/base";
import type { TransportStats } from "@tinkex/http";
import type { ChannelStats } from "../channel/channel.js";

/**
 * A service client at one moment. Requests and connections are those of all clients in the process that share them, which come to the
 * same server with the same credentials and settings. Counts of requests are 0, and `sockets` is `undefined`, with a transport of the
 * caller's.
 */
export interface ServiceStats {
  /** Calls without a result, of the service client and all clients made from it. */
  readonly operations: number;
  /** HTTP requests under way, apart from polls. */
  readonly inFlight: number;
  /** Polls for results under way. */
  readonly polls: number;
  /** Requests that wait here: for others of their kind, for room among the bytes on their way, or for the end of a pause. */
  readonly queued: number;
  /** Bytes on their way, as far as they are bounded. */
  readonly bytes: {
    /** Of training requests that are being submitted, estimated. */
    readonly training: number;
    /** Of prompts that are being submitted, estimated; each weighs more while the service is busy. */
    readonly samples: number;
    /** Of large results that are being fetched. */
    readonly results: number;
  };
  /** Open connections; `undefined` with a `fetch` or transport of the caller's. */
  readonly sockets: number | undefined;
}

/**
 * Adds up the statistics of a service client's parts.
 *
 * @param channels - those of its own session, and of the sessions of others that it samples in
 */
export function serviceStats(
  operations: number,
  channels: readonly ChannelStats[],
  transport: TransportStats | undefined,
): ServiceStats {
  const pools = Object.entries(transport?.requests ?? {});
  let inFlight = 0;
  let queued = 0;
  const bytes = { training: 0, samples: 0, results: 0 };
  for (const { trainingBytes, resultBytes, waiting } of channels) {
    bytes.training += trainingBytes;
    bytes.results += resultBytes;
    queued += waiting;
  }
  for (const samples of new Set(channels.map((channel) => channel.samples))) {
    bytes.samples += samples.bytes;
    queued += samples.waiting;
  }
  for (const [name, count] of pools) {
    if (name !== "poll") inFlight += count.active;
    queued += count.queued;
  }
  return {
    operations,
    inFlight,
    polls: transport?.requests.poll.active ?? 0,
    queued,
    bytes,
    sockets: transport?.sockets,
  };
}

/** Asks a transport for its statistics; one of the caller's may have none. */
export function transportStats(transport: HttpTransport): TransportStats | undefined {
  if (!("stats" in transport) || typeof transport.stats !== "function") return undefined;
  // Ours is the only transport that has them, and its type says so.
  return transport.stats() as TransportStats;
}
