import {
  checkArray,
  checkClock,
  checkFunction,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkRandom,
  checkString,
  describeValue,
  formatPath,
  isLoopbackHost,
  type Logger,
  silentLogger,
  systemClock,
  ValidationError,
} from "@tinkex/base";
import type { TelemetrySendRequest } from "@tinkex/types";
import { createEngine } from "../compute/create-engine.js";
import { LateEngine } from "../compute/late-engine.js";
import { checkMemoryLimit, checkRoomForAll } from "../compute/memory-plan.js";
import { OwnedFolder } from "../disk/owned-folder.js";
import { ParkedStates } from "../disk/parked-states.js";
import type { Engine } from "../engine/engine.js";
import type { MemoryLimit } from "../engine/engine-options.js";
import { systemProcesses } from "../lock/process-table.js";
import { readModelConfig } from "../model/read-model-config.js";
import { checkWeightFormat } from "../quantization/weight-format.js";
import { randomStream } from "../random/random-stream.js";
import { checkRuntimeOptions } from "../runtime/check-runtime-options.js";
import { builtInModels } from "./built-in-models.js";
import type { AppExtension } from "./create-app.js";
import { type DataDirectory, openDataDirectory } from "./data-directory.js";
import { GENERATIONS } from "./generation.js";
import { DEFAULT_LIMITS } from "./limits.js";
import type { LocalServerOptions, ServedModel } from "./local-server-options.js";
import { type RunningServer, serveEngines } from "./serve-engines.js";

/** A running local server. */
export interface LocalServer extends AsyncDisposable {
  /** The base URL for clients, e.g. `http://127.0.0.1:41231`. */
  readonly url: string;
  readonly port: number;
  /** Folder of its training runs and checkpoints. */
  readonly dataDirectory: string;
  /** Models it serves, and what computes them. */
  readonly models: readonly {
    readonly name: string;
    /** Hugging Face directory of its files, such as `tokenizer.json`. */
    readonly directory: string;
    readonly runtime: "native" | "wasm";
    readonly threads: number;
    /** Form of the linear layers. */
    readonly weights: "float32" | "int8" | "int4";
  }[];
  /** Batches of telemetry that clients have sent, oldest first: the last thousand, kept in memory alone. */
  telemetry(): readonly TelemetrySendRequest[];
  /** Ends all work, lets clients know, frees the port. A save under way leaves nothing behind. May be called twice. */
  close(): Promise<void>;
}

/** The names of {@link LocalServerOptions}. */
export const OPTION_NAMES: Readonly<Record<keyof LocalServerOptions, true>> = {
  port: true,
  host: true,
  dataDirectory: true,
  models: true,
  standIn: true,
  generation: true,
  runtime: true,
  threads: true,
  memoryLimitMb: true,
  weights: true,
  apiKey: true,
  seed: true,
  logger: true,
  clock: true,
  random: true,
  tracer: true,
};

/**
 * Starts a server on this machine that speaks the Tinker API and really trains.
 *
 * @throws ValidationError for an option that cannot be used, such as a port that is taken or a data directory that another
 * server has
 * @example
 * const server = await startLocalServer();
 * const service = new ServiceClient({ baseUrl: server.url });
 */
export function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  return startExtended(options);
}

/**
 * Starts a local server whose HTTP face has more than usual.
 *
 * @param signal - ends a start that is under way, which then throws
 */
export async function startExtended(
  options: LocalServerOptions,
  extend?: AppExtension,
  signal?: AbortSignal,
): Promise<LocalServer> {
  checkKnownNames(options, OPTION_NAMES, "the options of startLocalServer");
  const { host = "127.0.0.1", port = 0, apiKey, logger = silentLogger, clock = systemClock } = options;
  checkAddress(host, port, apiKey);
  checkClock(clock, "clock");
  checkLogger(logger, "logger");
  checkRandom(options.random, "random");
  checkRuntimeOptions(options);
  checkWeightFormat(options.weights, ["weights"]);
  checkMemoryLimit(options.memoryLimitMb);
  if (options.dataDirectory !== undefined)
    checkFolder(options.dataDirectory, ["dataDirectory"], "tinker-data");
  if (options.seed !== undefined && !Number.isSafeInteger(options.seed)) {
    throw new ValidationError(
      `seed must be a whole number within ±2^53, got ${describeValue(options.seed)}`,
      {
        path: ["seed"],
      },
    );
  }
  const { standIn = false } = options;
  if (typeof standIn !== "boolean") {
    throw new ValidationError(`standIn must be true or false, got ${describeValue(standIn)}`, {
      path: ["standIn"],
    });
  }
  const { tracer, generation } = options;
  if (generation !== undefined && !GENERATIONS.includes(generation)) {
    throw new ValidationError(
      `generation must be one of ${GENERATIONS.join(", ")}, got ${describeValue(generation)}`,
      { path: ["generation"] },
    );
  }
  if (tracer !== undefined) {
    checkObject(tracer, "tracer", "serverTracer() of @tinkex/telemetry/otel");
    checkFunction(tracer.record, "tracer.record");
  }
  const served = options.models ?? (await builtInModels());
  checkModels(served);
  const memoryLimit = memoryLimitFor(served, options);
  const data = await openDataDirectory(options.dataDirectory, {
    clock,
    logger,
    processes: systemProcesses(),
  });
  const engines: Engine[] = [];
  try {
    const { runtime, threads } = options;
    const cacheDirectory = data.layout.modelWeights;
    for (const { weights = options.weights, ...rest } of served) {
      const model = { ...rest, weights };
      const start = () => {
        const store = new ParkedStates(data.layout.root, OwnedFolder.named(data.layout.parked));
        const engineOptions = { model, runtime, threads, cacheDirectory, memoryLimit };
        return createEngine(engineOptions, { clock, logger, signal, store });
      };
      const [first] = engines;
      // Of the built-in models only the default one is sure to be wanted; a model that was named must be known to run.
      const isLate = first !== undefined && options.models === undefined;
      const engine = isLate ? new LateEngine({ model, memoryLimit }, first.runtime, start) : await start();
      engines.push(engine);
      warnOfShortContext(engine, logger);
    }
    signal?.throwIfAborted();
    const running = await serveEngines({
      engines,
      standIn: standIn ? served.at(options.models === undefined ? -1 : 0)?.name : undefined,
      generation,
      data,
      host,
      port,
      apiKey,
      clock,
      logger,
      tracer,
      randomSeed: seedSource(options),
      limits: DEFAULT_LIMITS,
      extend,
    });
    const server = localServer(running, engines, data);
    logger.info(startLine(server));
    return server;
  } catch (error) {
    // The reason why it did not start is what is to be told.
    await Promise.allSettled(engines.map((engine) => engine.close()));
    await data.close();
    throw error;
  }
}

/** Gives the limit that all models share. @throws ValidationError for too little, before one of them starts */
function memoryLimitFor(
  served: readonly ServedModel[],
  { memoryLimitMb, weights }: Pick<LocalServerOptions, "memoryLimitMb" | "weights">,
): MemoryLimit | undefined {
  if (memoryLimitMb === undefined) return undefined;
  const limit = { totalMb: memoryLimitMb, modelCount: served.length };
  const planned = served.map((model) => ({
    config: readModelConfig(model.directory),
    model: { name: model.name, weights: model.weights ?? weights },
  }));
  checkRoomForAll(planned, limit);
  return limit;
}

function warnOfShortContext({ model }: Engine, logger: Logger): void {
  const { contextLength } = readModelConfig(model.directory);
  if (model.contextLength === contextLength) return;
  logger.warn(
    `memoryLimitMb leaves room for sequences of ${model.contextLength} tokens to ${model.name}, whose context has ${contextLength}`,
  );
}

const KEY_PREFIX = "tml-";

function checkAddress(host: string, port: number, apiKey: string | undefined): void {
  checkString(host, "host", "127.0.0.1");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ValidationError(`port must be a whole number from 0 to 65535, got ${describeValue(port)}`, {
      path: ["port"],
    });
  }
  // The key itself is not shown.
  if (apiKey !== undefined && !apiKey.startsWith(KEY_PREFIX)) {
    throw new ValidationError(
      `apiKey must begin with "${KEY_PREFIX}", as every key that the official SDKs send; give such a one, or leave it out`,
      { path: ["apiKey"] },
    );
  }
  if (!isLoopbackHost(host) && apiKey === undefined) {
    throw new ValidationError(
      `host "${host}" can be reached by other machines: set apiKey as well, or leave host out to stay on this one`,
      { path: ["host"] },
    );
  }
}

/** @throws ValidationError also for the empty text of a variable that is not set, which would stand for the working folder */
function checkFolder(folder: string, path: readonly (string | number)[], example: string): void {
  const name = formatPath(path);
  checkString(folder, name, example);
  if (folder !== "") return;
  throw new ValidationError(`${name} must not be empty; write "." for the working folder`, { path });
}

function checkModels(models: readonly ServedModel[]): void {
  checkArray(models, "models");
  if (models.length === 0) {
    throw new ValidationError("models must not be empty; name one, or leave it out for the built-in model", {
      path: ["models"],
    });
  }
  const seen = new Set<string>();
  for (const [index, model] of models.entries()) {
    const path = ["models", index, "name"];
    checkObject(model, `models[${index}]`, '{ name: "acme/model", directory: "models/acme" }');
    const { name } = model;
    checkString(name, `models[${index}].name`, "acme/model");
    checkFolder(model.directory, ["models", index, "directory"], "models/acme");
    if (name === "")
      throw new ValidationError(`models[${index}].name must not be empty; clients ask for it by name`, {
        path,
      });
    if (seen.has(name)) {
      throw new ValidationError(`models[${index}].name "${name}" is there twice: give each its own`, {
        path,
      });
    }
    seen.add(name);
    checkWeightFormat(model.weights, ["models", index, "weights"]);
  }
}

/** Seeds for requests that name none: whole numbers below 2³². */
function seedSource({ seed, random }: LocalServerOptions): () => number {
  const draw = random ?? (seed === undefined ? Math.random : randomStream(seed, "server"));
  return () => Math.floor(draw() * 2 ** 32);
}

function localServer(
  { url, port, state, close }: RunningServer,
  engines: readonly Engine[],
  { layout }: DataDirectory,
): LocalServer {
  return {
    url,
    port,
    dataDirectory: layout.root,
    models: engines.map(({ model, runtime }) => ({
      name: model.name,
      directory: model.directory,
      runtime: runtime.name,
      threads: runtime.threads,
      weights: model.weights,
    })),
    telemetry: () => state.telemetry.batches,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function startLine({ url, models, dataDirectory }: LocalServer): string {
  const served = models.map(
    ({ name, runtime, threads, weights }) =>
      `${name} (${runtime}, ${threads} threads${weights === "float32" ? "" : `, ${weights} weights`})`,
  );
  return `Serving ${served.join(", ")} on ${url}; checkpoints in ${dataDirectory}`;
}
