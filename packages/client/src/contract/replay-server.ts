import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange, Recording } from "./recording.js";

/** One request as it arrived, with the step that was under way. */
export interface ArrivedRequest {
  readonly step: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Repeats of a step's last answer, for a client that asks on where the official SDK gave up; then there is none. */
const MAX_REPEATS = 20;

/** Requests that change nothing, beside those by GET: in any step they are answered as they were in the last. */
const READS = ["auth/token", "client/config", "client/dynamic_config", "get_info", "session_heartbeat"];

/**
 * Gives the recorded answers: within a step those of each path in the recorded order, then the last of them again; of polls by the
 * operation that they ask for. What was never recorded is refused the way a server of that time refuses what it does not know.
 */
export class ReplayServer {
  /** Step or group under way. */
  step = "";
  readonly arrived: ArrivedRequest[] = [];
  readonly #answered = new Set<Exchange>();
  /** Times that an answer was given. */
  readonly #repeats = new Map<Exchange, number>();
  readonly #all: readonly Exchange[];
  /** Steps and groups in their order. */
  readonly #steps: readonly string[];
  readonly #server: Server;

  private constructor({ steps, exchanges }: Recording) {
    this.#all = exchanges;
    this.#steps = steps.map(({ id, group }) => group ?? id);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(recording: Recording): Promise<ReplayServer> {
    const replay = new ReplayServer(recording);
    await new Promise<void>((resolve) => replay.#server.listen(0, "127.0.0.1", resolve));
    return replay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { step } = this;
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const [path = "", query = ""] = (message.url ?? "").split("?");
    const { method = "", headers } = message;
    const request = { step, method, path, query, headers, body: Buffer.concat(parts) };
    this.arrived.push(request);
    if (path.endsWith("/retrieve_futures")) await this.#hold(request);
    const exchange = this.#exchangeOf(request);
    if (exchange === undefined && path.endsWith("/session_heartbeat")) {
      // Ours asks by it whether the session still lives, where theirs takes the loss of a result for that of the work alone.
      this.arrived.splice(this.arrived.indexOf(request), 1);
      response.setHeader("content-type", "application/json");
      response.end('{"type":"session_heartbeat"}');
      return;
    }
    if (exchange === undefined) {
      const isKnown = this.#all.some((recorded) => recorded.request.path === path);
      response.writeHead(isKnown ? 422 : 404, { "content-type": "application/json" });
      response.end('{"detail":"this request was not recorded"}');
      return;
    }
    send(exchange.response, response);
  }

  /** Holds a poll for all samples until those that its answer names are there; a report of fetched ones is not held. */
  async #hold({ step, path, body }: ArrivedRequest): Promise<void> {
    if (isReport(body.toString("utf8"))) return;
    const ofStep = this.#all.filter(
      ({ step: one, request }) => one === step && request.path === path && !isReport(request.body_text),
    );
    const isThere = (): boolean => {
      const next = ofStep.findIndex((exchange) => !this.#answered.has(exchange));
      const told = ofStep.slice(0, next + 1).flatMap(({ response }) => completionsIn(response?.body_text));
      const samples = this.arrived.filter((one) => one.step === step && one.path.endsWith("/asample"));
      return next >= 0 && samples.length >= told.length;
    };
    while (step === this.step && !isThere()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  #exchangeOf({ method, path, body }: ArrivedRequest): Exchange | undefined {
    const text = body.toString("utf8");
    const isPoll = path.endsWith("/retrieve_future");
    const fitting = this.#all.filter(
      ({ request }) =>
        request.path === path &&
        request.method === method &&
        (!isPoll || requestIdOf(request.body_text) === requestIdOf(text)) &&
        isReport(request.body_text) === isReport(text),
    );
    const isAnswered = (exchange: Exchange) => this.#answered.has(exchange);
    const ofStep = fitting.filter(({ step }) => step === this.step);
    const others = isPoll ? fitting : [];
    const next = [ofStep, others]
      .map((exchanges) => exchanges.find((exchange) => !isAnswered(exchange)) ?? exchanges.at(-1))
      .find((exchange) => exchange !== undefined);
    if (next !== undefined) {
      const repeats = this.#repeats.get(next) ?? 0;
      if (repeats > MAX_REPEATS) return undefined;
      this.#repeats.set(next, repeats + 1);
      if (makesModel(text) && !makesModel(next.request.body_text)) return undefined;
      this.#answered.add(next);
      return next;
    }
    if (method !== "GET" && !READS.some((read) => path.endsWith(`/${read}`))) return undefined;
    const stepsSoFar = this.#steps.slice(0, this.#steps.indexOf(this.step) + 1);
    const other = fitting.findLast(({ step }) => stepsSoFar.includes(step)) ?? fitting[0];
    if (other !== undefined) this.#answered.add(other);
    return other;
  }
}

/** Tells whether a load makes its own model, which is known only to a server that was recorded with one. */
function makesModel(body: string | undefined): boolean {
  return body?.includes('"model_seq_id"') === true && body.includes('"path"');
}

/** Reads the finished samples that an answer names. */
function completionsIn(body: string | undefined): readonly unknown[] {
  return body?.includes('"completions"') === true ? JSON.parse(body).completions : [];
}

/** Tells whether a poll for all samples only reports which results were fetched. */
function isReport(body: string | undefined): boolean {
  return body?.includes('"timeout":0') === true;
}

function requestIdOf(body: string | undefined): unknown {
  return /"request_id":\s*("[^"]*"|[^,}]*)/.exec(body ?? "")?.[1];
}

function send(recorded: Exchange["response"], response: ServerResponse): void {
  if (recorded === null) {
    response.destroy();
    return;
  }
  const { "content-length": _, "transfer-encoding": __, ...headers } = recorded.headers;
  const bytes =
    recorded.body_base64 === undefined
      ? Buffer.from(recorded.body_text ?? "")
      : Buffer.from(recorded.body_base64, "base64");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (recorded.framing === "truncate") {
    response.writeHead(recorded.status, { "content-length": bytes.length + 50 });
    response.write(bytes, () => response.destroy());
    return;
  }
  response.writeHead(
    recorded.status,
    recorded.framing === "chunked" ? {} : { "content-length": bytes.length },
  );
  response.end(bytes);
}
