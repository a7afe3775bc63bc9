import { startLocalServer } from "@tinkex/local";
import { call, type PublicCalls } from "../public-call.js";

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
          threads: 1,
          models: [{ name: "acme/model", directory: folder }],
        },
      ],
    ),
  };
}
