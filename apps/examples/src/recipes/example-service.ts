import { parseArgs } from "node:util";
import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { Figures } from "./figures.js";

/** Settings of a program, from its command line, and the service that it trains on. */
export interface Example extends AsyncDisposable {
  readonly service: ServiceClient;
  /** Address of the server that was started here; undefined where the environment names a service. */
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly seed: number;
  readonly steps: number;
  /** Numbers that the program promises of the built-in model, with all of its steps. */
  readonly figures: Figures;
}

/**
 * Reads `--seed`, `--steps`, `--model` and `--threads`, and opens the service that the environment names, or else a server of its own on a
 * free loopback port, which needs no key and computes with that many threads.
 */
export async function openExample(defaultSteps: number): Promise<Example> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      steps: { type: "string", default: String(defaultSteps) },
      model: { type: "string" },
      threads: { type: "string" },
    },
  });
  const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
  const seed = Number(values.seed);
  const steps = Number(values.steps);
  const threads = values.threads === undefined ? undefined : Number(values.threads);
  const server = isHosted ? undefined : await startLocalServer({ seed, threads });
  const service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
  return {
    service,
    baseUrl: server?.url,
    seed,
    steps,
    model: values.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1"),
    figures: new Figures({ isLocal: !isHosted, isWhole: steps >= defaultSteps }),
    async [Symbol.asyncDispose]() {
      await service.close();
      await server?.close();
    },
  };
}
