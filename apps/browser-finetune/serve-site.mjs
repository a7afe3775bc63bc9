import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";

/** @type {Readonly<Record<string, string>>} */
const CONTENT_TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Isolates the page from other origins, without which a browser gives it no threads that share memory. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cache-control": "no-cache",
};

/**
 * Serves a folder on the loopback interface.
 *
 * @param {string} folder
 * @param {number} port 0 takes a free one
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function serveSite(folder, port) {
  const root = resolve(folder);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(root, pathname === "/" ? "page.html" : pathname);
    const found = path.startsWith(root + sep) ? await stat(path).catch(() => undefined) : undefined;
    if (found?.isFile() !== true) {
      response.writeHead(404).end();
      return;
    }
    const contentType = CONTENT_TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(200, { ...HEADERS, "content-type": contentType, "content-length": found.size });
    createReadStream(path)
      .on("error", () => response.destroy())
      .pipe(response);
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", () => done(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
