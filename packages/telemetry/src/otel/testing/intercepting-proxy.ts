import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** An answer in place of the server's. */
export interface Interception {
  readonly status: number;
  readonly body: object;
}

/** Stands before a server, and answers what the test wants answered otherwise. */
export interface InterceptingProxy {
  readonly url: string;
  /** Headers of all requests, by the last part of their path. */
  readonly requests: { readonly endpoint: string; readonly headers: IncomingHttpHeaders }[];
  /** Answers the next requests to an endpoint in turn; `undefined` lets one through. */
  answer(endpoint: string, ...answers: readonly (Interception | undefined)[]): void;
}

/** Starts a proxy before a server, until the test ends. */
export async function startProxy(target: string): Promise<InterceptingProxy> {
  const planned = new Map<string, (Interception | undefined)[]>();
  const requests: InterceptingProxy["requests"] = [];
  const server = createServer(async (request, response) => {
    const { method = "GET", url: path = "/", headers } = request;
    const endpoint = path.split("?", 1)[0]?.split("/").at(-1) ?? "";
    requests.push({ endpoint, headers });
    const body = await buffer(request);
    const interception = planned.get(endpoint)?.shift();
    if (interception !== undefined) {
      response.writeHead(interception.status, { "content-type": "application/json" });
      response.end(JSON.stringify(interception.body));
      return;
    }
    const { host: _host, connection: _connection, "content-length": _length, ...passed } = headers;
    const init = { method, headers: passed as Record<string, string>, ...(method === "GET" ? {} : { body }) };
    const answer = await fetch(target + path, init).catch(() => undefined);
    response.writeHead(answer?.status ?? 502, {
      "content-type": answer?.headers.get("content-type") ?? "application/json",
    });
    response.end(answer && Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (endpoint, ...answers) => void planned.set(endpoint, [...answers]),
  };
}
