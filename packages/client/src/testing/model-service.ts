import type { Clock } from "@tinkex/base";

/** Habits of a server with the sequence ids of refused requests, and with those that come out of order. */
export type SequenceHabit =
  /** Counts a refused id as used; waits for missing ids. */
  | "counts"
  /** Wants a refused id again; waits for missing ids. */
  | "reuses"
  /** Wants a refused id again; refuses an id that is not the next one. */
  | "strict";

/** Fate of one request on the way to the server and back. */
export type Fate =
  | "arrives"
  | "no connection"
  | "reset before it arrives"
  | "answer lost"
  | "proxy page"
  | "proxy page after it arrived"
  | "busy"
  | "unpaid"
  | "refused"
  | "down"
  | "down after it arrived";

/** One request of the model as the server took it. */
export interface TakenRequest {
  readonly seqId: number;
  /** Names the call that it belongs to. */
  readonly call: string;
  readonly model: string;
}

/** One delivery of a request, arrived or not. */
export interface Delivery {
  readonly call: string;
  readonly leftAtMs: number;
}

/** Answer of the server to one request. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const PASSES = ["forward", "forward_backward"];
const TRAINING = [...PASSES, "optim_step", "save_weights"];

/**
 * A server behind a network that fails as a script says, as a `fetch` in the process: it keeps to one habit with sequence ids, and
 * writes down what it took. Calls name themselves in the header `x-call`.
 */
export class ModelService {
  readonly taken: TakenRequest[] = [];
  readonly deliveries: Delivery[] = [];
  readonly #habit: SequenceHabit;
  readonly #clock: Clock;
  readonly #fates: Fate[];
  readonly #latenciesMs: readonly number[];
  readonly #tickets = new Map<string, string>();
  /** Ids that need not come any more. */
  readonly #settled = new Set<number>();
  readonly #bodies = new Map<string, { readonly seqId: number; readonly datumCount: number }>();
  readonly #restartAfter: number;
  #posts = 0;
  /** The session that the server knows: a restart forgets it, with all that was made in it. */
  #session = "S";

  constructor(
    habit: SequenceHabit,
    clock: Clock,
    script: {
      readonly fates: readonly Fate[];
      readonly latenciesMs: readonly number[];
      /** Training requests that come before the server is started anew. @defaultValue it runs on */
      readonly restartAfter?: number | undefined;
    },
  ) {
    this.#habit = habit;
    this.#clock = clock;
    this.#fates = [...script.fates];
    this.#latenciesMs = script.latenciesMs;
    this.#restartAfter = script.restartAfter ?? Number.POSITIVE_INFINITY;
  }

  /** Tells whether the server was started anew. */
  get isRestarted(): boolean {
    return this.#session !== "S";
  }

  /** The network heals: all that comes from now on arrives. */
  heal(): void {
    this.#fates.length = 0;
  }

  /** The first id that the server waits for. */
  get nextId(): number {
    let next = 1;
    while (this.#settled.has(next)) next += 1;
    return next;
  }

  readonly fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const path = new URL(String(input)).pathname.replace("/api/v1/", "");
    const headers = new Headers(init.headers);
    const json = parse(init.body);
    // One beat that is never answered takes less time than thousands that are; the last one is that of a session that is lost.
    if (path === "session_heartbeat" && json.session_id === this.#session) return new Promise(() => {});
    if (!TRAINING.includes(path)) return respond(this.#control(path, json));
    this.deliveries.push({ call: headers.get("x-call") ?? "", leftAtMs: this.#clock.monotonic() });
    const latencyMs = this.#latenciesMs[this.#posts % Math.max(1, this.#latenciesMs.length)] ?? 0;
    if (this.#posts === this.#restartAfter) this.#restart();
    this.#posts += 1;
    const fate = this.#fates.shift() ?? "arrives";
    if (latencyMs > 0) await this.#clock.sleep(latencyMs);
    return this.#deliver(fate, path, headers, json);
  };

  #restart(): void {
    this.#session = "S2";
    this.#settled.clear();
    this.#bodies.clear();
    this.#tickets.clear();
  }

  #deliver(fate: Fate, path: string, headers: Headers, json: Record<string, unknown>): Response {
    switch (fate) {
      case "no connection":
        throw broken("ECONNREFUSED");
      case "reset before it arrives":
        throw broken("ECONNRESET");
      case "busy":
        return respond({ status: 429, body: { detail: "busy" } });
      case "unpaid":
        return respond({ status: 402, body: { detail: "unpaid" } });
      case "down":
        return respond({ status: 503, body: { detail: "down" } });
      case "proxy page":
        return new Response("<html>one moment</html>");
      case "refused":
        return respond(this.#take(path, headers, json, true));
      case "arrives":
        return respond(this.#take(path, headers, json, false));
      default:
        this.#take(path, headers, json, false);
        if (fate === "answer lost") throw broken("ECONNRESET");
        if (fate === "down after it arrived") return respond({ status: 503, body: { detail: "down" } });
        return new Response("");
    }
  }

  /** Takes a request in, or refuses it; a repeat is answered as the first was. */
  #take(path: string, headers: Headers, json: Record<string, unknown>, isBad: boolean): Answer {
    const seqId = Number(json.seq_id);
    if (json.model_id !== `${this.#session}:train:0`) {
      return { status: 404, body: { detail: `model ${json.model_id} not found` } };
    }
    const key = `${headers.get("x-idempotency-key")}`;
    const known = this.#tickets.get(key);
    if (known !== undefined) return { status: 200, body: { request_id: known } };
    if (this.#settled.has(seqId)) {
      return { status: 409, body: { detail: `sequence id ${seqId} was used before` } };
    }
    if (this.#habit === "strict" && seqId !== this.nextId) {
      return {
        status: 409,
        body: { detail: `Sequence conflict: expected ${this.nextId}, got ${seqId}` },
      };
    }
    if (isBad) {
      if (this.#habit === "counts") this.#settled.add(seqId);
      return { status: 422, body: { detail: "bad request" } };
    }
    this.#settled.add(seqId);
    this.taken.push({ seqId, call: headers.get("x-call") ?? "", model: `${json.model_id}` });
    const ticket = `${this.#session} r${this.#tickets.size}`;
    this.#tickets.set(key, ticket);
    const input = json.forward_backward_input ?? json.forward_input ?? {};
    const { data = [] } = input as { readonly data?: readonly unknown[] };
    this.#bodies.set(ticket, { seqId, datumCount: PASSES.includes(path) ? data.length : 0 });
    return { status: 200, body: { request_id: ticket } };
  }

  #control(path: string, json: Record<string, unknown>): Answer {
    if (path === "client/config") {
      const together = this.#habit !== "strict";
      return { status: 200, body: { fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: together } };
    }
    if (path === "session_heartbeat") return { status: 404, body: { detail: "session not found" } };
    if (path === "create_session") return { status: 200, body: { session_id: this.#session } };
    if (path === "create_model") {
      if (json.session_id === this.#session) return { status: 200, body: { request_id: this.#session } };
      return { status: 404, body: { detail: `session ${json.session_id} not found` } };
    }
    if (path === "get_info") return { status: 404, body: { detail: "Not Found" } };
    if (path === "weights_info") {
      return { status: 200, body: { base_model: "b", is_lora: true, lora_rank: 8 } };
    }
    if (path === "retrieve_future") {
      const ticket = String(json.request_id);
      if (ticket === this.#session) return { status: 200, body: { model_id: `${this.#session}:train:0` } };
      if (!ticket.startsWith(`${this.#session} `))
        return { status: 404, body: { detail: "future not found" } };
      return { status: 200, body: this.#result(ticket) };
    }
    return { status: 200, body: {} };
  }

  /** The result of a request, once every id before it is settled. */
  #result(ticket: string): unknown {
    const work = this.#bodies.get(ticket);
    if (work === undefined || this.nextId <= work.seqId) return { type: "try_again" };
    const logprobs = { data: [-1, -1], dtype: "float32", shape: [2] };
    return {
      path: "tinker://S:train:0/weights/x",
      loss_fn_output_type: "ArrayRecord",
      loss_fn_outputs: Array.from({ length: work.datumCount }, () => ({ logprobs })),
      metrics: {},
    };
  }
}

function broken(code: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

function respond({ status, body }: Answer): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function parse(body: unknown): Record<string, unknown> {
  if (!(body instanceof Uint8Array)) return {};
  return JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
}
