import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Clock, type Logger, ValidationError } from "@tinkex/base";
import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.js";
import { CheckpointStore } from "../state/checkpoint-store.js";
import { DataLayout } from "../state/data-layout.js";
import { endAllWork } from "../state/end-work.js";
import { EngineCatalog } from "../state/engine-catalog.js";
import { FutureStore } from "../state/future-store.js";
import { clearLeftovers } from "../state/leftovers.js";
import { ModelRegistry } from "../state/model-registry.js";
import { ownedName } from "../state/owned-name.js";
import { RunStore } from "../state/run-store.js";
import { SamplerRegistry } from "../state/sampler-registry.js";
import { SamplerShelf } from "../state/sampler-shelf.js";
import type { ServerState } from "../state/server-state.js";
import { SessionRegistry } from "../state/session-registry.js";
import { createApp } from "./create-app.js";
import type { ServerLimits } from "./limits.js";

/** Connections that have not ended by themselves this long after the last answer are cut. */
const LINGER_MS = 200;

export interface ServeOptions {
  readonly engines: readonly Engine[];
  readonly dataDirectory: string;
  readonly host: string;
  readonly port: number;
  readonly apiKey: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomSeed: () => number;
  readonly limits: ServerLimits;
}

export interface RunningServer {
  readonly state: ServerState;
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the data directory and listens. The engines are closed with the server. */
export async function serveEngines(options: ServeOptions): Promise<RunningServer> {
  const state = await openState(options);
  const { host, apiKey, limits } = options;
  const app = createApp(state, { guard: { host, apiKey }, holdMs: limits.holdMs });
  const port = await listen(app, host, options.port);
  let closed: Promise<void> | undefined;
  return {
    state,
    port,
    close() {
      closed ??= closeAll(state, app);
      return closed;
    },
  };
}

async function openState({
  engines,
  dataDirectory,
  clock,
  logger,
  randomSeed,
  limits,
}: ServeOptions): Promise<ServerState> {
  const layout = new DataLayout(dataDirectory);
  await mkdir(layout.runs, { recursive: true });
  await clearLeftovers(layout, clock);
  return {
    engines: new EngineCatalog(engines),
    sessions: new SessionRegistry(randomUUID),
    models: new ModelRegistry(),
    samplers: new SamplerRegistry(),
    shelf: new SamplerShelf({ directory: join(layout.parked, ownedName()), capacity: limits.idleSamplers }),
    futures: new FutureStore({
      clock,
      instanceId: `future-${randomUUID().slice(0, 8)}`,
      keepDeliveredMs: limits.keepDeliveredMs,
      keepUnfetchedMs: limits.keepUnfetchedMs,
    }),
    runs: new RunStore(layout),
    checkpoints: new CheckpointStore(layout, clock),
    clock,
    logger,
    randomSeed,
    gapTimeoutMs: limits.gapTimeoutMs,
  };
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw listenError(error, host, port);
  }
  // A listening TCP server has an address of this form; only pipes have a text.
  return (app.server.address() as AddressInfo).port;
}

const LISTEN_FAULTS: Readonly<Record<string, (host: string, port: number) => ValidationError>> = {
  EADDRINUSE: (host, port) =>
    new ValidationError(
      `Port ${port} on ${host} is in use: end the program that has it, choose another port, or leave port out for a free one.`,
      { path: ["port"] },
    ),
  EACCES: (host, port) =>
    new ValidationError(
      `Port ${port} on ${host} is not for this user: choose one above 1023, or leave port out.`,
      {
        path: ["port"],
      },
    ),
  EADDRNOTAVAIL: (host) =>
    new ValidationError(`"${host}" is no address of this machine: use 127.0.0.1, or leave host out.`, {
      path: ["host"],
    }),
  ENOTFOUND: (host) =>
    new ValidationError(`"${host}" is no address of this machine: use 127.0.0.1, or leave host out.`, {
      path: ["host"],
    }),
};

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return LISTEN_FAULTS[code]?.(host, port) ?? error;
}

/**
 * Ends what runs before what listens: work that is cut off fails its future, the polls held for it are answered, and
 * then the connections can go.
 */
async function closeAll(state: ServerState, app: FastifyInstance): Promise<void> {
  const ended = endAllWork(state);
  await Promise.all(state.engines.all.map((engine) => engine.close()));
  await ended;
  await state.shelf.close();
  await state.checkpoints.close();
  const cut = setTimeout(() => app.server.closeAllConnections(), LINGER_MS);
  await app.close();
  clearTimeout(cut);
}
