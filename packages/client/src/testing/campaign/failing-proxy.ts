import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Ways in which a request fails on its way to the service or back. */
const FATES = [
  "reset before it arrives",
  "page before it arrives",
  "answer lost",
  "answer cut",
  "page in place of the answer",
  "welcome before it arrives",
  "welcome in place of the answer",
] as const;

type Fate = (typeof FATES)[number];

/** Share of the requests that fail, and the number of requests after which the proxy restarts. */
export interface ProxyFaults {
  readonly share: number;
  readonly requestsPerRestart: number;
  /** Milliseconds for which nothing listens. */
  readonly restartMs: number;
  readonly random: () => number;
}

/** A proxy in front of a service, which fails for a share of the requests and is restarted now and then. */
export class FailingProxy {
  readonly #target: URL;
  readonly #faults: ProxyFaults;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  #port = 0;
  #requests = 0;
  #restarting: Promise<void> | undefined;
  faults = 0;
  restarts = 0;

  private constructor(target: string, faults: ProxyFaults) {
    this.#target = new URL(target);
    this.#faults = faults;
    this.#server = createServer((message, response) => {
      this.#serve(message, response).catch(() => response.destroy());
    });
  }

  static async start(target: string, faults: ProxyFaults): Promise<FailingProxy> {
    const proxy = new FailingProxy(target, faults);
    await proxy.#listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    await this.#restarting;
    this.#agent.destroy();
    await this.#end();
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #end(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #restart(): Promise<void> {
    this.restarts += 1;
    await this.#end();
    await new Promise((resolve) => setTimeout(resolve, this.#faults.restartMs));
    await this.#listen();
    this.#restarting = undefined;
  }

  #nextFate(): Fate | undefined {
    const { share, requestsPerRestart, random } = this.#faults;
    this.#requests += 1;
    if (this.#requests % requestsPerRestart === 0) this.#restarting ??= this.#restart();
    if (random() >= share) return undefined;
    this.faults += 1;
    return FATES[Math.floor(random() * FATES.length)];
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const fate = this.#nextFate();
    const body = await buffer(message);
    if (fate === "reset before it arrives") {
      message.socket.resetAndDestroy();
      return;
    }
    if (fate === "page before it arrives") return sendPage(response, 502);
    if (fate === "welcome before it arrives") return sendPage(response, 200);
    const answer = await this.#forward(message, body);
    if (fate === "page in place of the answer") return sendPage(response, 502);
    if (fate === "welcome in place of the answer") return sendPage(response, 200);
    if (fate === "answer lost") {
      message.socket.resetAndDestroy();
      return;
    }
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    if (fate !== "answer cut") {
      response.end(answer.body);
      return;
    }
    response.write(answer.body.subarray(0, answer.body.length >> 1));
    response.destroy();
  }

  async #forward(message: IncomingMessage, body: Buffer) {
    const { hostname, port } = this.#target;
    const { method, url: path, headers } = message;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, method, path, headers, agent: this.#agent }, resolve)
        .on("error", reject)
        .end(body);
    });
    const { "transfer-encoding": _, ...kept } = answer.headers;
    return { status: answer.statusCode ?? 0, headers: kept, body: await buffer(answer) };
  }
}

function sendPage(response: ServerResponse, status: 200 | 502): void {
  response.writeHead(status, { "content-type": "text/html" });
  response.end("<html>one moment</html>");
}
