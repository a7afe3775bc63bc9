import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type Clock, type Logger, type ServerTracer, ValidationError } from "@tinkex/base";
import type { ApiGeneration } from "@tinkex/types";
import type { FastifyInstance } from "fastify";
import { CheckpointStore } from "../disk/checkpoint-store.js";
import { recoverFromCrash } from "../disk/crash-recovery.js";
import { OwnedFolder } from "../disk/owned-folder.js";
import { RecordReader } from "../disk/record-reader.js";
import { RunStore } from "../disk/run-store.js";
import type { Engine } from "../engine/engine.js";
import { endAllWork } from "../operations/shutdown.js";
import { AdapterCache } from "../registries/adapter-cache.js";
import { CompletionFeeds } from "../registries/completion-feed.js";
import { EngineCatalog } from "../registries/engine-catalog.js";
import { FutureStore } from "../registries/future-store.js";
import { LossRegistry } from "../registries/loss-registry.js";
import { ModelRegistry } from "../registries/model-registry.js";
import { OperationTracing } from "../registries/operation-tracing.js";
import { SamplerRegistry } from "../registries/sampler-registry.js";
import type { OperationResult, ServerState } from "../registries/server-state.js";
import { SessionRegistry } from "../registries/session-registry.js";
import { SilenceWatch } from "../registries/silence-watch.js";
import { TelemetryLog } from "../registries/telemetry-log.js";
import { type AppExtension, createApp } from "./create-app.js";
import type { DataDirectory } from "./data-directory.js";
import type { ServerLimits } from "./limits.js";
import { ServerTokens } from "./server-tokens.js";

/** Connections that have not ended by themselves this long after the last answer are cut. */
const LINGER_MS = 200;

export interface ServeOptions {
  readonly engines: readonly Engine[];
  /** Name of the model that serves requests for those that are not there; undefined where they are refused. */
  readonly standIn: string | undefined;
  readonly data: DataDirectory;
  readonly host: string;
  readonly port: number;
  readonly apiKey: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly generation?: ApiGeneration | undefined;
  readonly tracer?: ServerTracer | undefined;
  readonly randomSeed: () => number;
  readonly limits: ServerLimits;
  readonly extend?: AppExtension | undefined;
}

export interface RunningServer {
  readonly state: ServerState;
  readonly port: number;
  /** Base URL for clients. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Cleans the data directory up and listens. The engines and the data directory are closed with the server, which closes by
 * itself when another one has taken the directory over.
 */
export async function serveEngines(options: ServeOptions): Promise<RunningServer> {
  const state = await openState(options);
  const { host, apiKey, limits, data, logger, extend, generation } = options;
  const tokens = apiKey === undefined ? undefined : new ServerTokens(apiKey, options.clock);
  const app = createApp(state, { guard: { host, apiKey, tokens }, extend, generation, ...limits });
  if (state.tracing !== undefined) addTracing(app, state.tracing);
  const port = await listen(app, host, options.port);
  let closed: Promise<void> | undefined;
  const close = () => {
    state.silence.close();
    closed ??= closeAll(state, app).finally(() => data.close());
    return closed;
  };
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    await data.lock.announce(url);
  } catch (error) {
    await close();
    throw error;
  }
  state.checkpoints.watchExpiry();
  const { lost } = data.lock;
  const giveWay = () => {
    logger.error(
      `data directory "${data.layout.root}" is no longer this server's, which closes: ${lost.reason}`,
    );
    close().catch((error: unknown) => logger.error("the server could not close cleanly", { error }));
  };
  if (lost.aborted) giveWay();
  else lost.addEventListener("abort", giveWay);
  return { state, port, url, close };
}

/** Lets the operations that a request asks for know it, from when its body has been read. */
function addTracing(app: FastifyInstance, tracing: OperationTracing): void {
  app.addHook("preHandler", ({ headers, routeOptions }, _reply, done) => {
    const { traceparent, tracestate } = headers;
    const request = {
      endpoint: (routeOptions.url ?? "").split("/").at(-1) ?? "",
      traceparent: firstOf(traceparent),
      tracestate: firstOf(tracestate),
    };
    tracing.duringRequest(request, done);
  });
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

async function openState({
  engines,
  standIn,
  data: { layout },
  clock,
  logger,
  tracer,
  randomSeed,
  limits,
}: ServeOptions): Promise<ServerState> {
  const reader = new RecordReader(layout.root, logger);
  await recoverFromCrash(layout, reader);
  const checkpoints = new CheckpointStore(layout, clock, reader);
  const sessions = new SessionRegistry(clock, randomUUID);
  const tracing = tracer === undefined ? undefined : new OperationTracing({ tracer, clock, logger });
  const futures = new FutureStore<OperationResult>({
    clock,
    tracing,
    instanceId: `future-${randomUUID().slice(0, 8)}`,
    keepDeliveredMs: limits.keepDeliveredMs,
    keepUnfetchedMs: limits.keepUnfetchedMs,
  });
  return {
    engines: new EngineCatalog(engines, { standIn, logger }),
    sessions,
    models: new ModelRegistry(),
    samplers: new SamplerRegistry(),
    losses: new LossRegistry(),
    adapterCache: new AdapterCache({
      root: layout.root,
      folder: OwnedFolder.named(layout.parked),
      capacity: limits.idleSamplers,
    }),
    futures,
    silence: new SilenceWatch({ clock, logger, sessions, futures }),
    completions: new CompletionFeeds(clock),
    runs: new RunStore(layout, reader),
    checkpoints,
    telemetry: new TelemetryLog(),
    tracing,
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

interface ListenFault {
  readonly option: "host" | "port";
  readonly message: (host: string, port: number) => string;
}

const NO_ADDRESS: ListenFault = {
  option: "host",
  message: (host) =>
    `host must be an address of this machine, got "${host}": use 127.0.0.1, or leave host out`,
};
/** Faults of the options behind what the system says when it cannot listen. */
const LISTEN_FAULTS: Readonly<Record<string, ListenFault>> = {
  EADDRINUSE: {
    option: "port",
    message: (host, port) =>
      `port ${port} on ${host} is in use: end the program that has it, choose another port, or leave port out for a free one`,
  },
  EACCES: {
    option: "port",
    message: (host, port) =>
      `port ${port} on ${host} is not for this user: choose one above 1023, or leave port out`,
  },
  EADDRNOTAVAIL: NO_ADDRESS,
  ENOTFOUND: NO_ADDRESS,
  EAI_AGAIN: NO_ADDRESS,
};

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fault = LISTEN_FAULTS[code];
  if (fault === undefined) return error;
  return new ValidationError(fault.message(host, port), { path: [fault.option], cause: error });
}

/**
 * Ends what runs before what listens: work that is cut off fails its future, the polls held for it are answered, and
 * then the connections can go. A step that fails keeps none behind it from being done: an open port would keep the process alive.
 *
 * @throws the first failure, once all is done
 */
async function closeAll(state: ServerState, app: FastifyInstance): Promise<void> {
  const failures: unknown[] = [];
  const attempt = (step: Promise<unknown>) => step.catch((error: unknown) => failures.push(error));
  const ended = attempt(endAllWork(state));
  await Promise.all(state.engines.all.map((engine) => attempt(engine.close())));
  await ended;
  await attempt(state.adapterCache.close());
  await attempt(state.checkpoints.close());
  const cut = setTimeout(() => app.server.closeAllConnections(), LINGER_MS);
  await attempt(app.close());
  clearTimeout(cut);
  if (failures.length > 0) throw failures[0];
}
