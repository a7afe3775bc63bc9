import { ServiceClient, type ServiceClientOptions } from "@tinkex/client";
import { onTestFinished } from "vitest";
import type { OtherServer } from "./other-server.js";

/** Opens a client of a server, or of what stands in front of it, that ends with the test; lines of its log go to `lines`. */
export function openService(
  { kind, url }: Pick<OtherServer, "kind" | "url">,
  options: ServiceClientOptions & { readonly lines?: string[] } = {},
): ServiceClient {
  const { lines = [], ...others } = options;
  const note = (message: string): void => void lines.push(message);
  const service = new ServiceClient({
    baseUrl: url,
    apiKey: kind.apiKey,
    env: {},
    timeoutMs: 120_000,
    logger: { debug() {}, info: note, warn: note, error: note },
    ...others,
  });
  onTestFinished(() => service.close());
  return service;
}

/** Prints a figure that a check has seen. */
export function print({ kind }: Pick<OtherServer, "kind">, figure: string): void {
  console.log(`${kind.title}: ${figure}`);
}
