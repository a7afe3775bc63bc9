import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a path answers. */
export interface ServedFile {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

export interface FileServer extends AsyncDisposable {
  /** Without a slash at the end, e.g. `http://127.0.0.1:40123`. */
  readonly origin: string;
}

/** Isolates a page from other origins, without which a browser gives it no threads that share memory. */
const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

/** Serves `files` by path (`/page.html`) on a free port of the loopback interface; any other path is a 404. */
export async function serveFiles(files: ReadonlyMap<string, ServedFile>): Promise<FileServer> {
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { ...ISOLATION, "content-type": file.contentType }).end(file.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
