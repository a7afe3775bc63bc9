import { toNumbers } from "@tinkex/tensor";
import { readPass } from "../examples.js";
import { type Reply, type SeenRequest, StubService } from "../stub-service.js";

/** One model: a number that descends towards the targets of its passes. */
interface Model {
  value: number;
  gradient: number;
  /** Sequence id that comes next. */
  next: number;
  /** Answer to each request by its sequence id, for those that come again. */
  readonly tickets: Map<number, Reply>;
}

/** Samples of one sampler: answers by their numbers, and those that are complete and not taken note of. */
interface Sampler {
  readonly tickets: Map<number, Reply>;
  readonly complete: object[];
  cursor: number;
}

/**
 * A service that really descends: a pass gives the square of the distance between the model and the pass's target, and adds to the
 * gradient, which a step then goes down. So a request that is lost, done twice or in another order shows in all losses after it.
 * Like a real one it does a request once that comes twice. Samples give back the first token of their prompt.
 */
export class DescentService {
  readonly stub: StubService;
  /** Requests that broke the order of their model. */
  readonly violations: string[] = [];
  /** Targets of the passes that were done without a gradient. */
  readonly forwardTargets: number[] = [];
  done = 0;
  /** Requests that came again. */
  repeats = 0;
  readonly #models = new Map<string, Model>();
  readonly #samplers = new Map<string, Sampler>();
  readonly #made = new Map<string, Reply>();

  private constructor(stub: StubService) {
    this.stub = stub;
    stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
    stub.on(
      "create_session",
      this.#once(() => ({ body: { session_id: `S${this.#made.size}` } })),
    );
    stub.on(
      "create_sampling_session",
      this.#once(() => this.#makeSampler()),
    );
    stub.on(
      "create_model",
      this.#once(() => this.#makeModel()),
    );
    for (const path of ["forward", "forward_backward"]) stub.on(path, (request) => this.#pass(request));
    stub.on("optim_step", (request) => this.#step(request));
    stub.on("asample", (request) => this.#sample(request));
    stub.on("retrieve_futures", (request) => this.#poll(request));
    stub.fallback = () => ({ body: {} });
  }

  static async start(): Promise<DescentService> {
    return new DescentService(await StubService.start());
  }

  /** Answers a request that comes again as it did the first time. */
  #once(make: () => Reply): (request: SeenRequest) => Reply {
    return ({ path, headers }) => {
      const key = `${path} ${headers["x-idempotency-key"]}`;
      const reply = this.#made.get(key) ?? make();
      this.#made.set(key, reply);
      return reply;
    };
  }

  #makeModel(): Reply {
    const id = `M${this.#models.size}`;
    this.#models.set(id, { value: 0, gradient: 0, next: 1, tickets: new Map() });
    return this.stub.accept("CreateModelResponse", { model_id: id });
  }

  #makeSampler(): Reply {
    const id = `P${this.#samplers.size}`;
    this.#samplers.set(id, { tickets: new Map(), complete: [], cursor: 0 });
    return { body: { sampling_session_id: id } };
  }

  /** Does a request of a model in its turn, once. */
  #inOrder(modelId: string, seqId: number, what: string, run: (model: Model) => Reply): Reply {
    // Nobody looks at what came: it would only take memory.
    this.stub.requests.length = 0;
    const model = this.#models.get(modelId);
    if (model === undefined) return { status: 404, body: { detail: `no model ${modelId}` } };
    const known = model.tickets.get(seqId);
    if (known !== undefined) {
      this.repeats += 1;
      return known;
    }
    if (seqId !== model.next)
      this.violations.push(`${modelId}: ${what} ${seqId} came where ${model.next} was due`);
    model.next = seqId + 1;
    this.done += 1;
    const ticket = run(model);
    model.tickets.set(seqId, ticket);
    return ticket;
  }

  #pass(request: SeenRequest): Reply {
    const { model_id, seq_id, forward_backward_input, forward_only } = readPass(request);
    const [datum] = forward_backward_input.data;
    const [target = Number.NaN] = toNumbers(
      datum?.loss_fn_inputs.target_tokens ?? { data: [], dtype: "int64" },
    );
    return this.#inOrder(model_id, seq_id, "pass", (model) => {
      const distance = model.value - target;
      if (request.path === "forward" || forward_only) this.forwardTargets.push(target);
      else model.gradient += 2 * distance;
      return this.stub.accept("ForwardBackwardOutput", {
        loss_fn_output_type: "ArrayRecord",
        loss_fn_outputs: [{ logprobs: { data: Float32Array.of(0, 0), dtype: "float32", shape: [2] } }],
        metrics: { "loss:sum": distance * distance },
      });
    });
  }

  #step({ json }: SeenRequest): Reply {
    const { learning_rate: rate } = (json?.adam_params ?? {}) as { readonly learning_rate: number };
    return this.#inOrder(String(json?.model_id), Number(json?.seq_id), "step", (model) => {
      model.value -= rate * model.gradient;
      model.gradient = 0;
      return this.stub.accept("OptimStepResponse", { metrics: { value: model.value } });
    });
  }

  #sample({ json }: SeenRequest): Reply {
    const sampler = this.#samplers.get(String(json?.sampling_session_id));
    if (sampler === undefined) return { status: 404, body: { detail: "no such sampler" } };
    const seqId = Number(json?.seq_id);
    const known = sampler.tickets.get(seqId);
    if (known !== undefined) {
      this.repeats += 1;
      return known;
    }
    this.done += 1;
    const { chunks } = (json?.prompt ?? {}) as {
      readonly chunks: readonly { readonly tokens: readonly number[] }[];
    };
    const ticket = this.stub.accept("SampleResponse", {
      sequences: [{ stop_reason: "length", tokens: chunks[0]?.tokens.slice(0, 1) ?? [], logprobs: [-1] }],
      prompt_cache_hit_tokens: 0,
    });
    sampler.tickets.set(seqId, ticket);
    sampler.complete.push({ state: "finished", ...(ticket.body as { readonly request_id: string }) });
    return ticket;
  }

  async #poll({ json }: SeenRequest): Promise<Reply> {
    const { sampling_session_id: id } = (json?.target ?? {}) as { readonly sampling_session_id: string };
    const sampler = this.#samplers.get(id);
    if (sampler === undefined) return { status: 404, body: { detail: "no such sampler" } };
    await new Promise((resolve) => setTimeout(resolve, json?.timeout === 0 ? 0 : 5));
    const { complete } = sampler;
    // Kept until a later poll reports a cursor at or past it: this one's answer may be lost.
    const cursor = Math.max(sampler.cursor, Number(json?.prev_cursor));
    complete.splice(0, cursor - sampler.cursor);
    sampler.cursor = cursor;
    return { body: { completions: [...complete], cursor: cursor + complete.length } };
  }
}
