import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the hub or its store for large files got it. */
interface RecordedRequest {
  readonly host: "hub" | "store";
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A server on loopback that behaves like the Hugging Face hub, and a second one where it keeps large files. */
export interface HubServer {
  readonly endpoint: string;
  readonly requests: RecordedRequest[];
  /** The files of `org/model`, by name; JSON files over 1,000 bytes count as large. Replacing them makes a commit. */
  files: Readonly<Record<string, string>>;
  /** The commit that `main` stands for. */
  commit(): string;
  /** Number of the next requests that are answered with a status of trouble. */
  trouble: { times: number; status: number };
  /** Token without which nobody may read; left out, everyone may. */
  token: string | undefined;
  /** Number of the next downloads that stop half way. */
  cutDownloads: number;
  /** Promise that a download waits for. */
  beforeDownload: () => Promise<void>;
  close(): Promise<void>;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");
/** The ETag of a small file, as git names its content. */
const gitBlob = (text: string) => sha1(`blob ${Buffer.byteLength(text)}\0${text}`);

/** Starts the two servers. */
export async function startHubServer(files: Readonly<Record<string, string>>): Promise<HubServer> {
  const store = await listen((request, response) => {
    record("store", request);
    const content = Object.values(hub.files).find((text) => request.url === `/${sha256(text)}`);
    if (content === undefined) response.writeHead(404).end();
    else void send(response, content, request.method === "HEAD");
  });
  const server = await listen((request, response) => {
    record("hub", request);
    if (hub.trouble.times > 0) {
      hub.trouble.times -= 1;
      response.writeHead(hub.trouble.status).end();
      return;
    }
    if (hub.token !== undefined && request.headers.authorization !== `Bearer ${hub.token}`) {
      response.writeHead(401, { "x-error-code": "GatedRepo" }).end();
      return;
    }
    const [, revision, name = ""] = /^\/org\/model\/resolve\/([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
    if (revision === undefined) {
      response.writeHead(404, { "x-error-code": "RepoNotFound" }).end();
      return;
    }
    response.setHeader("x-repo-commit", hub.commit());
    if (revision !== "main" && revision !== hub.commit()) {
      response.writeHead(404, { "x-error-code": "RevisionNotFound" }).end();
      return;
    }
    const content = hub.files[name];
    if (content === undefined) {
      response.writeHead(404, { "x-error-code": "EntryNotFound" }).end();
    } else if (content.length > 1_000) {
      response.writeHead(302, {
        location: `${urlOf(store)}/${sha256(content)}`,
        etag: '"of the redirection"',
        "x-linked-etag": `"${sha256(content)}"`,
        "x-linked-size": Buffer.byteLength(content),
      });
      response.end();
    } else {
      response.setHeader("etag", `W/"${gitBlob(content)}"`);
      void send(response, content, request.method === "HEAD");
    }
  });

  function record(host: "hub" | "store", request: IncomingMessage): void {
    const { method = "", url: path = "", headers } = request;
    hub.requests.push({ host, method, path, authorization: headers.authorization });
  }

  async function send(response: ServerResponse, content: string, isHeadOnly: boolean): Promise<void> {
    response.setHeader("content-length", Buffer.byteLength(content));
    if (isHeadOnly) {
      response.end();
      return;
    }
    await hub.beforeDownload();
    hub.cutDownloads -= 1;
    if (hub.cutDownloads >= 0) response.write(content.slice(0, content.length / 2), () => response.destroy());
    else response.end(content);
  }

  const hub: HubServer = {
    endpoint: urlOf(server),
    requests: [],
    files,
    commit: () => sha1(JSON.stringify(hub.files)),
    trouble: { times: 0, status: 503 },
    token: undefined,
    cutDownloads: 0,
    beforeDownload: async () => {},
    async close() {
      for (const one of [server, store]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
  return hub;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function urlOf(server: Server): string {
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
