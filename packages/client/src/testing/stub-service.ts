import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNumbers } from "@tinkex/tensor";
import { decodeForwardBackwardRequest, encodeFutureOutcome, type FutureResultName } from "@tinkex/wire";

/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Below `/api/v1/`, unescaped. */
  readonly path: string;
  /** As `path`, as it came. */
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The body as JSON; `undefined` when it is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** An answer: an object goes out as JSON, a buffer as protobuf unless the headers say otherwise. `isReset`: the connection breaks instead. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isReset?: boolean;
}

export type Handler = (request: SeenRequest) => Reply | Promise<Reply>;

/** Result that {@link StubService} keeps for work; by default it is there at once and easy to tell. */
type Result = { readonly name: FutureResultName; readonly value: unknown };

const SESSION = "S";

/**
 * A Tinker service on loopback that does no work: it accepts every operation, keeps what it was sent, and has a result for each
 * at once. Tests replace the answer of any path.
 */
export class StubService {
  readonly requests: SeenRequest[] = [];
  /** Answers paths that have no answer of their own. @defaultValue 404 */
  fallback: Handler | undefined;
  readonly #handlers = new Map<string, Handler>();
  readonly #results = new Map<string, Result>();
  readonly #server: Server;
  #futures = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#addDefaults();
  }

  static async start(): Promise<StubService> {
    const service = new StubService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Takes all answers away: every path is unknown until it is set. */
  forget(): void {
    this.#handlers.clear();
  }

  /** Replaces the answer of a path. */
  on(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  /** Answers a path with these replies in turn, then as usual. */
  script(path: string, ...replies: readonly (Reply | Handler)[]): void {
    const usual = this.#handlers.get(path);
    const left = [...replies];
    this.on(path, (request) => {
      const next = left.shift();
      if (next === undefined) return usual?.(request) ?? { status: 404 };
      return typeof next === "function" ? next(request) : next;
    });
  }

  /** The usual answer of a path, for handlers that only want to delay or count. */
  usual(path: string): Handler {
    const handler = this.#handlers.get(path);
    if (handler === undefined) throw new Error(`no handler for ${path}`);
    return handler;
  }

  /** The requests of a path, heartbeats and polls included. */
  seen(path: string): SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** The paths of all requests but polls, in the order of arrival. */
  get trace(): string[] {
    return this.requests.map(({ path }) => path).filter((path) => path !== "retrieve_future");
  }

  /** Accepts an operation: keeps its result under a new request id. */
  accept(name: FutureResultName, value: unknown, more: object = {}): Reply {
    this.#futures += 1;
    const id = `r${this.#futures}`;
    this.#results.set(id, { name, value });
    return { body: { request_id: id, ...more } };
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const path = (message.url ?? "").replace("/api/v1/", "");
    const request: SeenRequest = {
      method: message.method ?? "",
      path: decodeURIComponent(path),
      rawPath: path,
      headers: message.headers as SeenRequest["headers"],
      body,
      json: parseObject(body),
    };
    this.requests.push(request);
    const handler = this.#handlers.get(request.path) ?? this.fallback;
    const reply =
      handler === undefined ? { status: 404, body: { detail: `no ${path}` } } : await handler(request);
    if (reply.isReset === true) {
      message.socket.resetAndDestroy();
      return;
    }
    const bytes = Buffer.isBuffer(reply.body) ? reply.body : Buffer.from(textOf(reply.body));
    const type = Buffer.isBuffer(reply.body) ? "application/x-protobuf" : "application/json";
    response.writeHead(reply.status ?? 200, {
      "content-type": type,
      "content-length": bytes.length,
      ...reply.headers,
    });
    response.end(bytes);
  }

  #addDefaults(): void {
    this.on("client/config", () => ({ body: {} }));
    this.on("client/dynamic_config", () => ({ body: {} }));
    this.on("create_session", () => ({ body: { session_id: SESSION } }));
    this.on("session_heartbeat", () => ({ body: {} }));
    this.on(`sessions/${SESSION}/finish`, () => ({ status: 204, body: "" }));
    this.on("get_server_capabilities", () => ({ body: { supported_models: [{ model_name: "m" }] } }));
    let base: unknown = "base";
    this.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: base, tokenizer_id: "base:rev1" } },
    }));
    this.on("create_model", ({ json }) => {
      base = json?.base_model;
      return this.accept("CreateModelResponse", { model_id: `${SESSION}:train:${json?.model_seq_id}` });
    });
    this.on("load_weights", ({ json }) => this.accept("LoadWeightsResponse", { path: json?.path }));
    this.on("weights_info", () => ({ body: { base_model: "base", is_lora: true, lora_rank: 8 } }));
    this.on("optim_step", () => this.accept("OptimStepResponse", { metrics: { grad_norm: 1 } }));
    this.on("save_weights", ({ json }) =>
      this.accept("SaveWeightsResponse", { path: `tinker://${json?.model_id}/weights/${json?.path}` }),
    );
    this.on("save_weights_for_sampler", ({ json }) =>
      this.accept(
        "SaveWeightsForSamplerResponse",
        json?.path === undefined
          ? { sampling_session_id: `${SESSION}:sample:${json?.sampling_session_seq_id}` }
          : { path: `tinker://${json.model_id}/sampler_weights/${json.path}` },
      ),
    );
    this.on("create_sampling_session", ({ json }) => ({
      body: { sampling_session_id: `${SESSION}:sample:${json?.sampling_session_seq_id}` },
    }));
    this.on("join_sampling_session", () => ({ body: { client_counter: 3 } }));
    this.on(`samplers/${SESSION}:sample:0`, () => ({ body: { sampler_id: "s", base_model: "base" } }));
    this.on("asample", ({ json }) => this.accept("SampleResponse", sampleOf(Number(json?.num_samples))));
    for (const path of ["forward_backward", "forward"]) {
      this.on(path, (request) => this.accept("ForwardBackwardOutput", outputOf(request)));
    }
    this.on("retrieve_future", ({ json, headers }) => this.#result(String(json?.request_id), headers.accept));
  }

  #result(id: string, accept: string | undefined): Reply {
    const result = this.#results.get(id);
    if (result === undefined) return { status: 404, body: { detail: `no future ${id}` } };
    const { name, value } = result;
    // A result is kept beside the name of its record, so the two fit.
    const outcome = { state: "complete", result: value as never } as const;
    const { body, contentType } = encodeFutureOutcome(name, outcome, { accept, requestId: id });
    return { body: Buffer.from(body), headers: { "content-type": contentType } };
  }
}

/** One output per datum, whose log-probabilities are minus its target tokens; the loss counts the datums. */
function outputOf({ body, headers }: SeenRequest): unknown {
  const request = decodeForwardBackwardRequest(headers["content-type"], body);
  const { data } = request.forward_backward_input;
  return {
    loss_fn_output_type: "ArrayRecord",
    loss_fn_outputs: data.map(({ loss_fn_inputs: { target_tokens: targets } }) => ({
      logprobs: {
        data: Float32Array.from(targets === undefined ? [] : toNumbers(targets), (token) => -token),
        dtype: "float32",
        shape: targets?.shape ?? [targets?.data.length ?? 0],
      },
    })),
    metrics: { "loss:sum": data.length },
  };
}

function sampleOf(count: number): unknown {
  const sequences = Array.from({ length: count }, (_, index) => ({
    stop_reason: "length",
    tokens: [index],
    logprobs: [-1],
  }));
  return { sequences, prompt_cache_hit_tokens: 0 };
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(body: unknown): string {
  if (body === undefined) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}
