import { type Clock, type Logger, type ServerTracer, systemClock } from "@tinkex/base";
import type { ApiGeneration } from "@tinkex/types";
import { witnessLogger } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { onTestFinished } from "vitest";
import type { Engine } from "../engine/engine.js";
import { systemProcesses } from "../lock/process-table.js";
import type { AppExtension } from "../server/create-app.js";
import { openDataDirectory } from "../server/data-directory.js";
import { DEFAULT_LIMITS, type ServerLimits } from "../server/limits.js";
import { type RunningServer, serveEngines } from "../server/serve-engines.js";
import { ScriptedEngine } from "./scripted-engine.js";
import { TestClient } from "./test-client.js";

export interface TestServerOptions {
  readonly engine?: ScriptedEngine;
  readonly dataDirectory?: string;
  readonly standIn?: boolean;
  readonly apiKey?: string;
  readonly generation?: ApiGeneration;
  readonly limits?: Partial<ServerLimits>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly extend?: AppExtension;
  readonly tracer?: ServerTracer;
}

/** A server around a scripted engine, and its client. */
export class TestServer extends TestClient {
  readonly engine: ScriptedEngine;
  readonly running: RunningServer;

  private constructor(engine: ScriptedEngine, running: RunningServer) {
    super(`http://127.0.0.1:${running.port}`, engine.model.name);
    this.engine = engine;
    this.running = running;
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const engine = options.engine ?? new ScriptedEngine();
    return new TestServer(engine, await startServing(engine, options));
  }
}

/** Serves any engine until the running test ends. */
export async function startServing(
  engine: Engine,
  options: Omit<TestServerOptions, "engine"> = {},
): Promise<RunningServer> {
  const { clock = systemClock, logger = witnessLogger } = options;
  const surroundings = { clock, logger, processes: systemProcesses() };
  const data = await openDataDirectory(options.dataDirectory ?? temporaryDirectory(), surroundings);
  const running = await serveEngines({
    engines: [engine],
    standIn: options.standIn === true ? engine.model.name : undefined,
    data,
    host: "127.0.0.1",
    port: 0,
    apiKey: options.apiKey,
    generation: options.generation,
    clock,
    logger,
    tracer: options.tracer,
    randomSeed: () => 1000,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    extend: options.extend,
  });
  onTestFinished(() => running.close());
  return running;
}
