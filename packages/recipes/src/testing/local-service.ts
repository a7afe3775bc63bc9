import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll } from "vitest";

/** The small model that the local server has built in. */
export const POCKET_MODEL = "tinkex/pocket-1";

/** A local server for a file of tests, and clients of it. */
export function localService(): {
  /** A client that closes with the file. */
  readonly service: () => ServiceClient;
  /** Address of the server, for clients in other processes. */
  readonly url: () => string;
} {
  let close = async (): Promise<void> => {};
  let service: ServiceClient | undefined;
  let url = "";
  beforeAll(async () => {
    const server = await startLocalServer({ seed: 1, threads: 1 });
    service = new ServiceClient({ baseUrl: server.url, env: {} });
    url = server.url;
    const opened = service;
    close = async () => {
      await opened.close();
      await server.close();
    };
  });
  afterAll(() => close());
  return {
    service: () => {
      if (service === undefined) throw new Error("the server is not started yet");
      return service;
    },
    url: () => url,
  };
}
