import { silentLogger } from "@tinkex/base";
import { startLocalServer } from "@tinkex/local";
import { startTestServer } from "@tinkex/local/testing";
import { call, type PublicCalls } from "../public-call.js";
import { clock } from "../surroundings.js";

/** The local server, stopped again where it starts; its data lie in `folder`. */
export function localCalls(folder: string): PublicCalls {
  return {
    startLocalServer: call(
      async (options: Parameters<typeof startLocalServer>[0]) => {
        const server = await startLocalServer(options);
        await server.close();
      },
      () => [
        {
          port: 0,
          host: "127.0.0.1",
          dataDirectory: folder,
          seed: 1,
          clock,
          logger: silentLogger,
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
        const server = await startTestServer(options);
        await server.close();
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
