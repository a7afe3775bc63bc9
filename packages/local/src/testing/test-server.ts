import { type Clock, type Logger, systemClock } from "@tinkex/base";
import { witnessLogger } from "@tinkex-tooling/canary";
import { onTestFinished } from "vitest";
import { DEFAULT_LIMITS, type ServerLimits } from "../server/limits.js";
import { type RunningServer, serveEngines } from "../server/serve-engines.js";
import { ScriptedEngine } from "./scripted-engine.js";
import { temporaryDirectory } from "./temporary-directory.js";
import { TestClient } from "./test-client.js";

export interface TestServerOptions {
  readonly engine?: ScriptedEngine;
  readonly dataDirectory?: string;
  readonly apiKey?: string;
  readonly limits?: Partial<ServerLimits>;
  readonly clock?: Clock;
  readonly logger?: Logger;
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
    const running = await serveEngines({
      engines: [engine],
      dataDirectory: options.dataDirectory ?? (await temporaryDirectory()),
      host: "127.0.0.1",
      port: 0,
      apiKey: options.apiKey,
      clock: options.clock ?? systemClock,
      logger: options.logger ?? witnessLogger,
      randomSeed: () => 1000,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
    });
    onTestFinished(() => running.close());
    return new TestServer(engine, running);
  }
}
