import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface LosingProxy {
  readonly url: string;
  /** Bodies of all POSTs to the path whose answer was lost, in order. */
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

/**
 * Passes everything on to `target`, but cuts the connection instead of giving the first answer from `path`: the server has
 * done the work, and the client does not know.
 */
export async function startLosingProxy(target: string, path: string): Promise<LosingProxy> {
  const { hostname, port } = new URL(target);
  const bodies: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const isWatched = incoming.url === path;
      if (isWatched) bodies.push(body.toString());
      const isLost = isWatched && bodies.length === 1;
      const headers = { ...incoming.headers, host: `${hostname}:${port}` };
      const passed = request(
        { hostname, port, path: incoming.url, method: incoming.method, headers },
        (answer) => {
          if (isLost) {
            answer.resume();
            answer.on("end", () => incoming.socket.destroy());
          } else {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          }
        },
      );
      passed.on("error", () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
