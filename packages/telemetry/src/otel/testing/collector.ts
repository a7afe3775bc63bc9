import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { onTestFinished } from "vitest";

/** An OpenTelemetry collector that runs until the test ends. */
export interface Collector {
  /** Takes traces as OTLP/HTTP. */
  readonly url: string;
  /** Gives what it has written so far: its own messages, and all that it received, in words. */
  output(): string;
}

/**
 * Starts a collector with the receiver `otlp` and the exporters `debug` and `otlp_http`, which answers once it has passed on what it was
 * sent.
 *
 * @param program - path of the collector
 * @param target - receives what it passes on, as JSON
 */
export async function startCollector(program: string, target: string): Promise<Collector> {
  const port = await freePort();
  const exporter = {
    traces_endpoint: target,
    encoding: "json",
    compression: "none",
    sending_queue: { enabled: false },
    retry_on_failure: { enabled: false },
  };
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { debug: { verbosity: "detailed" }, otlp_http: exporter },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { traces: { receivers: ["otlp"], exporters: ["debug", "otlp_http"] } },
    },
  };
  const child = spawn(program, ["--config", `yaml:${JSON.stringify(config)}`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("Everything is ready")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the collector ended with ${code}: ${output}`)));
  });
  return { url: `http://127.0.0.1:${port}/v1/traces`, output: () => output };
}

/** A port that nobody has now: the collector does not tell which it got. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a server on loopback has a port");
  return address.port;
}
