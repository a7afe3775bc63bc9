import { expect } from "vitest";

/** A JSON answer, and its status. */
export interface Answer {
  readonly status: number;
  // Tests look into answers of every shape.
  readonly body: Record<string, unknown>;
}

/** The few calls that most tests make, over a real socket. */
export class TestClient {
  readonly url: string;
  /** The model that {@link createModel} builds on. */
  readonly baseModel: string;

  constructor(url: string, baseModel: string) {
    this.url = url;
    this.baseModel = baseModel;
  }

  async fetch(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}/api/v1${path}`, { method, ...init });
  }

  async get(path: string): Promise<Answer> {
    return readAnswer(await this.fetch("GET", path));
  }

  /** Posts a record as JSON; a string is sent as it is. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return readAnswer(
      await this.fetch("POST", path, {
        body: text,
        headers: { "content-type": "application/json", ...headers },
      }),
    );
  }

  /** Posts an operation and waits for what its future says. */
  async run(path: string, body: unknown): Promise<Record<string, unknown>> {
    return this.retrieve(await this.submit(path, body));
  }

  /** Posts an operation and returns its request id. */
  async submit(path: string, body: unknown): Promise<string> {
    const answer = await this.post(path, body);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({
      status: 200,
      body: { request_id: expect.any(String) },
    });
    return String(answer.body.request_id);
  }

  /** Waits for the outcome of a future; polls again when the server says so. */
  async retrieve(requestId: string): Promise<Record<string, unknown>> {
    for (;;) {
      const { status, body } = await this.post("/retrieve_future", { request_id: requestId });
      if (status !== 408) return body;
    }
  }

  async createSession(): Promise<string> {
    return String((await this.post("/create_session", { tags: [], user_metadata: null })).body.session_id);
  }

  /** A model of rank 4 in a session of its own, or the next one in `sessionId`. */
  async createModel(sessionId?: string, modelSequenceId = 0, rest: object = {}): Promise<string> {
    const session_id = sessionId ?? (await this.createSession());
    const body = {
      session_id,
      model_seq_id: modelSequenceId,
      base_model: this.baseModel,
      lora_config: { rank: 4 },
      ...rest,
    };
    return String((await this.run("/create_model", body)).model_id);
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** The JSON form of a training pass over one datum of `tokens`, each with weight 1. */
export function passBody(
  modelId: string,
  seqId: number | undefined,
  tokens: readonly number[] = [1, 2, 3],
): object {
  const datum = {
    model_input: { chunks: [{ tokens }] },
    loss_fn_inputs: {
      target_tokens: { data: tokens, dtype: "int64", shape: [tokens.length] },
      weights: { data: tokens.map(() => 1), dtype: "float32", shape: [tokens.length] },
    },
  };
  return {
    forward_backward_input: { data: [datum], loss_fn: "cross_entropy", loss_fn_config: null },
    model_id: modelId,
    seq_id: seqId,
  };
}
