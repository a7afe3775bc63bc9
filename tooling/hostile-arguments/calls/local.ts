import { ValidationError } from "@tinkex/base";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { startTestServer } from "@tinkex/local/testing";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

/**
 * Waits for a start whose options were good, which ends at the model, since the folder that is named holds none: to load one takes longer
 * than all the rest. A start that did not need the model is stopped again.
 */
async function stopAtModel(starting: Promise<LocalServer>): Promise<void> {
  const server = await starting.catch((error: unknown) => {
    if (error instanceof ValidationError && error.message.includes("is not a model directory"))
      return undefined;
    throw error;
  });
  await server?.close();
}

/** The local server, stopped again where it starts; its data lie in `folder`. */
export function localCalls(folder: string): PublicCalls {
  return {
    startLocalServer: call(
      async (options: Parameters<typeof startLocalServer>[0]) => {
        await stopAtModel(startLocalServer(options));
      },
      () => [
        {
          port: 0,
          host: "127.0.0.1",
          dataDirectory: folder,
          seed: 1,
          clock,
          logger,
          random: () => 0.5,
          threads: 1,
          models: [{ name: "acme/model", directory: folder }],
        },
      ],
    ),
  };
}

/** The local server with faults, stopped again where it starts. */
export function localTestingCalls(folder: string): PublicCalls {
  return {
    startTestServer: call(
      async (options: Parameters<typeof startTestServer>[0]) => {
        await stopAtModel(startTestServer(options));
      },
      () => [
        {
          port: 0,
          host: "127.0.0.1",
          dataDirectory: folder,
          threads: 1,
          models: [{ name: "acme/model", directory: folder }],
          onFinished: () => {},
          faults: [
            {
              endpoint: "optim_step",
              status: 429,
              detail: "slow down",
              retryAfterSeconds: 1,
              delayMs: 1,
              nth: 1,
              times: 1,
              when: () => true,
            },
            { future: "asample", queueState: "paused_capacity", reason: "full", polls: 1 },
            { future: "asample", fail: "lost", category: "user" },
            { endpoint: "asample", disconnect: "after" },
          ],
        },
      ],
    ),
  };
}
