import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { it, onTestFinished } from "vitest";
import { multipartBody } from "../body/multipart-body.js";
import { eventually, transportTo } from "../testing/test-transport.js";

/** A server that answers before it reads. */
async function serve(listener: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it.each<[string, RequestListener]>([
  ["refuses the upload", (_, response) => response.writeHead(400).end('{"detail":"no"}')],
  ["breaks the connection", (request) => request.socket.destroy()],
])(
  "a body's source is let go of when a server %s before it has read all of it, with a fetch of the user's",
  async (_, listener) => {
    const server = await serve(listener);
    let opened = 0;
    let closed = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      opened += 1;
      try {
        for (let piece = 0; piece < 1_000; piece++) yield new Uint8Array(8_000);
      } finally {
        closed += 1;
      }
    }
    const transport = transportTo(server, { fetch });
    const content = { byteLength: 8_000_000, stream: source };
    const body = multipartBody({ files: [{ name: "f", content }] });
    await transport.call({ operation: "telemetry", body }).catch(() => {});
    await eventually(() => opened > 0 && opened === closed).toBe(true);
  },
);
