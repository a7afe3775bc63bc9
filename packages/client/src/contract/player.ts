import { silentLogger } from "@tinkex/base";
import { type EndpointName, ValidationError } from "@tinkex/types";
import { SamplingClient } from "../sampling/sampling-client.js";
import { ServiceClient } from "../service/service-client.js";
import type { ServiceClientOptions } from "../service/service-client-options.js";
import { LossHandle } from "../training/loss-graph/loss-handle.js";
import { prepareData } from "../training/passes/prepare-data.js";
import { TrainingClient } from "../training/training-client.js";
import { RECORDED_GRAPHS, RECORDED_LOSSES } from "./recorded-losses.js";
import type { RecordedVersion, Recording, Step } from "./recording.js";
import { ReplayClock } from "./replay-clock.js";
import { dataOf, inputOf, readValue } from "./scenario-values.js";

/** Calls of the REST client that send nothing of their own; `rest/` has their tests. */
const NOT_OURS = ["rest.whoami"];
/** Labels of samplers that were made of the handle of another: the last one, when they are used. */
const COPIES: readonly unknown[] = ["clone", "joined clone"];

/** The end of one step: the result or the error. */
export interface Outcome {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Service clients of steps that do not use the last one, by the order in which they were made. */
const SERVICE_OF: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "session 0.38.0": { s13: 0, s14: 0, s15: 0, s16: 1, s18: 2 },
};

/** The same of training clients. */
const TRAINING_OF: typeof SERVICE_OF = {
  "auth-jwt 0.25.0": { s13: 0 },
  "auth-jwt 0.38.0": { s14: 0 },
};

/** Keys by what stands for them in the recordings; the token is valid until 2099, for somebody who does not exist. */
const KEYS: Readonly<Record<string, string>> = {
  "<api-key>": "tml-test",
  "": "tml-test",
  "<jwt>": [
    { alg: "none" },
    { sub: "tml:organization_user:u-1", org_id: "org-1", iat: 4102441200, exp: 4102444800 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat("c2ln")
    .join("."),
};

type Args = Readonly<Record<string, unknown>>;
type Call = (args: never, step: Step) => PromiseLike<unknown> | undefined;

/** Makes the recorded calls with our client. A step uses the client of its kind that was made last, but for named samplers. */
export class Player {
  readonly clock = new ReplayClock();
  readonly #url: string;
  readonly #version: RecordedVersion;
  readonly #services: ServiceClient[] = [];
  /** Those that later steps do not use. */
  readonly #aside: ServiceClient[] = [];
  readonly #samplers: SamplingClient[] = [];
  readonly #labels: string[] = [];
  readonly #handles = new Map<string, LossHandle>();
  readonly #futures = new Map<string, Promise<Outcome>>();
  readonly #trainings: TrainingClient[] = [];
  /** Positions of the service clients of some steps; the others use the last. */
  readonly #trainingOf: Readonly<Record<string, number>>;
  readonly #serviceOf: Readonly<Record<string, number>>;
  #restService: ServiceClient | undefined;
  /** Runs after every poll. */
  #onPolled = (): void => {};
  #step = "";

  constructor(url: string, { version, scenario }: Recording) {
    this.#url = url;
    this.#version = version;
    this.#trainingOf = TRAINING_OF[`${scenario} ${version}`] ?? {};
    this.#serviceOf = SERVICE_OF[`${scenario} ${version}`] ?? {};
  }

  /** Makes the call of a step, and waits for its end; `undefined` for a step that only submits, or is not for this client. */
  async play(step: Step): Promise<Outcome | undefined> {
    const { id, call, args, future } = step;
    this.#step = id;
    if (NOT_OURS.includes(call)) return undefined;
    if (call === "await") return this.#futures.get(String(args.future));
    const make = this.#calls[call];
    if (make === undefined) throw new Error(`no call of ours for ${call} of step ${id}`);
    const outcome = this.#start(make, step);
    if (future === undefined) return outcome;
    this.#futures.set(future, outcome);
    return undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#services, ...this.#aside].map((service) => service.close()));
  }

  async #start(make: Call, step: Step): Promise<Outcome> {
    try {
      const result = await make(step.args as never, step);
      if (result instanceof TrainingClient) this.#trainings.push(result);
      if (result instanceof SamplingClient) this.#samplers.push(result);
      if (result instanceof LossHandle) this.#handles.set(result.name, result);
      return { result };
    } catch (error) {
      return { error };
    }
  }

  get #service(): ServiceClient {
    return this.#services.at(this.#serviceOf[this.#step] ?? -1) ?? missing("service client");
  }

  get #trained(): TrainingClient {
    return this.#trainings.at(this.#trainingOf[this.#step] ?? -1) ?? missing("training client");
  }

  /** The sampler of a label; labels in the order of their first use are the samplers in the order they were made. */
  #sampler(label: unknown): SamplingClient {
    if (typeof label !== "string" || COPIES.includes(label))
      return this.#samplers.at(-1) ?? missing("sampling client");
    if (!this.#labels.includes(label)) this.#labels.push(label);
    return this.#samplers[this.#labels.indexOf(label)] ?? missing(`sampling client ${label}`);
  }

  #open(args: Args, { env = {} }: Pick<Step, "env">, options: ServiceClientOptions = {}): ServiceClient {
    const { apiKey, user_metadata, project_id, display_name, default_headers_overrides, baseUrl } = args;
    const service = new ServiceClient({
      baseUrl: String(baseUrl ?? "<base-url>").replace("<base-url>", this.#url),
      apiKey: KEYS[String(apiKey)] ?? String(apiKey ?? KEYS["<api-key>"]),
      env,
      clock: this.clock,
      random: () => 0.5,
      logger: silentLogger,
      hooks: {
        onResponse: ({ operation }) => (operation === "retrieve_future" ? this.#onPolled() : undefined),
      },
      ...options,
      ...(user_metadata === undefined ? {} : { userMetadata: user_metadata as Record<string, string> }),
      ...(project_id === undefined ? {} : { projectId: String(project_id) }),
      ...(display_name === undefined ? {} : { displayName: String(display_name) }),
      ...(default_headers_overrides === undefined
        ? {}
        : { headers: default_headers_overrides as Record<string, string> }),
    });
    this.#services.push(service);
    return service;
  }

  /** Calls an endpoint that is not about training or sampling. */
  #rest(name: EndpointName, record: unknown, options: Args = {}): Promise<unknown> {
    return (this.#restService ?? this.#service).call(name, record as never, options as never);
  }

  async #sample({
    client,
    prompt,
    sampling_params,
    include_prompt_logprobs,
    ...others
  }: Args): Promise<unknown> {
    const params = {
      ...(readValue(others) as Args),
      prompt: inputOf(prompt),
      sampling_params: readValue(sampling_params),
      ...(include_prompt_logprobs === undefined ? {} : { prompt_logprobs: include_prompt_logprobs }),
    };
    return this.#sampler(client).sample(params as never);
  }

  // The arguments were recorded under the names of the wire, which are ours too.
  readonly #calls: Readonly<Record<string, Call>> = {
    "ServiceClient.new": async (args, step) => {
      const service = this.#open(args, step);
      if (this.#version === "0.4.1") await service.connect();
    },
    "RestClient.new": async (args, step) => {
      this.#restService = this.#openAside(args, step);
    },
    "service.createRestClient": async () => {
      this.#restService = this.#service;
    },
    "ServiceClient.new+holder": (args, step) => this.#openAside(args, step).connect(),
    "with ServiceClient": async (args, step) => {
      const service = this.#openAside(args, step);
      await service.connect();
      await service.close({ status: "errored" });
      throw new ValidationError("the error that left the block");
    },
    "holder.close": async () => undefined,
    "rest client with a JWT as key": async (args, step) => {
      this.#restService = this.#openAside(args, step);
    },
    holder: () => this.#service.connect(),
    wait: ({ seconds }: { readonly seconds: number }) => this.#wait(seconds * 1000),
    "service.getServerCapabilities": () => this.#service.getServerCapabilities(),
    "service.createLoraTrainingClient": ({ optimizer, ...params }: Args) =>
      this.#service.createLoraTrainingClient({
        ...params,
        ...(optimizer === undefined ? {} : { optimizer_config: optimizer }),
      } as never),
    "service.createTrainingClientFromState": ({ path, optimizer, ...params }: Args) =>
      this.#service.createTrainingClientFromState(String(path), {
        ...params,
        ...(optimizer === undefined ? {} : { optimizer_config: optimizer }),
      } as never),
    "service.createTrainingClientFromStateWithOptimizer": ({ path, ...params }: Args) =>
      this.#service.createTrainingClientFromStateWithOptimizer(String(path), params),
    "service.createSamplingClient": (args) => this.#service.createSamplingClient(args),
    "service.createCustomLoss": async ({ name, fn }: Args) => {
      const graph = RECORDED_GRAPHS[String(name ?? fn)]?.() ?? missing(`loss graph for ${fn}`);
      return this.#service.createCustomLoss(graph);
    },
    "service.close": ({ status, detail }: Args, step) => {
      const isNew = step.note === "never used" || step.note === "no session was made: nothing is sent";
      const service = isNew ? this.#openAside({}, step) : this.#service;
      return service.close({ status, detail } as never);
    },
    "lowlevel.models.unload": ({ model_id }: Args) =>
      this.#trainings.find(({ modelId }) => modelId === model_id)?.unload(),
    "training.getInfo": () => this.#trained.getInfo(),
    "training.forwardBackward": (args: Args) => this.#pass("forwardBackward", args),
    "training.forward": (args: Args) => this.#pass("forward", args),
    "training.forwardBackwardCustom": ({ loss, ...args }: Args) => {
      const handle = this.#handles.get(String(loss).replace("handle ", ""));
      const formula = RECORDED_LOSSES[String(loss)];
      return this.#trained.forwardBackwardCustom(dataOf(args) as never, (handle ?? formula) as never);
    },
    "training.optimStep": ({ adam_params, optim_params }: Args) =>
      this.#trained.optimStep((optim_params ?? adam_params) as never),
    "training.saveState": ({ name, ...params }: Args) => this.#trained.saveState(String(name), params),
    "training.saveWeightsForSampler": ({ name, ...params }: Args) =>
      this.#trained.saveWeightsForSampler(String(name), params),
    "training.saveWeightsExternal": ({ name, ...params }: Args) =>
      this.#trained.saveWeightsExternal(String(name), params),
    "training.saveWeightsAndGetSamplingClient": (args) => this.#trained.saveWeightsAndGetSamplingClient(args),
    "training.createSamplingClient": ({ model_path }: Args) =>
      this.#trained.createSamplingClient(String(model_path)),
    "training.loadState": ({ path, ...params }: Args) => this.#trained.loadState(String(path), params),
    "training.loadStateWithOptimizer": ({ path, ...params }: Args) =>
      this.#trained.loadStateWithOptimizer(String(path), params),
    "datum.new": async ({ loss_fn_inputs }: Args) =>
      void prepareData("datum.new", [{ model_input: [1], loss_fn_inputs } as never]),
    "datum.withProvenance": async ({ model_input_lengths, length = 1, tokens = 1 }: Args) =>
      void prepareData("datum.withProvenance", [
        withSpans(model_input_lengths, length, Number(tokens)) as never,
      ]),
    "SamplingClient.fromSamplerHandle": () =>
      this.#service.createSamplingClientFromHandle(this.#sampler(undefined).toHandle()),
    "sampling.sample": (args) => this.#sample(args),
    "sampling.sample, cancelled after 0.4 s": async ({ client, prompt, ...others }: Args) => {
      const controller = new AbortController();
      this.#onPolled = () => controller.abort();
      const sample = { prompt: inputOf(prompt), ...others } as never;
      await this.#sampler(client)
        .sample(sample, { signal: controller.signal })
        .catch(() => {});
      // The service is told behind the back of the caller, who does not wait for it.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { cancelled: controller.signal.aborted };
    },
    "sampling.computeLogprobs": ({ client, prompt, ...params }: Args) =>
      this.#sampler(client).computeLogprobs(prompt as number[], params),
    "sampling.getBaseModel": async () => this.#sampler(undefined).baseModel,
    "rest.getTrainingRun": ({ positional, ...query }: { readonly positional: readonly string[] }) =>
      this.#rest("get_training_run", undefined, {
        path: { run: positional[0] },
        query: this.#version === "0.4.1" ? query : { access_scope: "owned", ...query },
      }),
    "auth.raiseIfTinkerNotAccessible": (args, step) =>
      this.#openAside(args, step, { billing: "fail" }).getServerCapabilities(),
  };

  async #pass(method: "forward" | "forwardBackward", args: Args): Promise<unknown> {
    const { loss_fn, loss_fn_config } = args;
    const options = loss_fn_config === undefined ? {} : { loss_fn_config };
    return this.#trained[method](dataOf(args) as never, loss_fn as never, options as never);
  }

  /** Opens a client that later steps do not use. */
  #openAside(args: Args, step: Step, options: ServiceClientOptions = {}): ServiceClient {
    const service = this.#open(args, step, options);
    this.#services.pop();
    this.#aside.push(service);
    return service;
  }

  async #wait(ms: number): Promise<void> {
    await this.clock.advance(ms);
    // Requests that the clock has woken go over sockets.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Makes a datum of so many tokens with spans of the given lengths, beside those that fit. */
function withSpans(lengths: unknown, length: unknown, tokens: number): unknown {
  const spans = (given: readonly unknown[]) =>
    given.map((one) => ({ type: "prompt_tokens", sequence_id: "s", offset: 0, length: one }));
  const target_tokens = Array.from({ length: tokens }, () => 1);
  return {
    model_input: target_tokens,
    loss_fn_inputs: { target_tokens },
    model_input_spans: spans((lengths as number[] | undefined) ?? [length]),
    loss_fn_input_spans: spans([tokens]),
  };
}

function missing(what: string): never {
  throw new Error(`no ${what} has been made yet`);
}
