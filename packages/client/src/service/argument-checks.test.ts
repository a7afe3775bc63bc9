import { ValidationError } from "@tinkex/base";
import { createTransport } from "@tinkex/http";
import { describe, expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { openTraining } from "../testing/open-training.js";
import { ServiceClient } from "./service-client.js";

it("clients 24: refuses arguments of the wrong kind at the call, before anything is sent", async () => {
  const { stub, service, training } = await openTraining();
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const sent = stub.trace.length;
  const transport = createTransport({ baseUrl: stub.url });
  // What plain JavaScript may pass.
  const nothing = undefined as never;
  const config = (value: unknown) => () =>
    training.forwardBackward([datum(1)], "ppo", { loss_fn_config: value as never });
  const calls: readonly (readonly [() => unknown, RegExp])[] = [
    [
      () => service.createLoraTrainingClient(nothing),
      /^createLoraTrainingClient: params must be an object, e.g. .*got undefined/,
    ],
    [
      () => service.createSamplingClient(nothing),
      /^createSamplingClient: params must be an object, e.g. .*base_model/,
    ],
    [
      () => training.optimStep(null as never),
      /^optimStep: params must be an object, e.g. .*learning_rate.*got null/,
    ],
    [() => sampler.sample(nothing), /^sample: params must be an object, e.g. .*prompt/],
    [
      () => sampler.sample({ prompt: "hello" as never, sampling_params: {} }),
      /^prompt is a string: encode it/,
    ],
    [
      () => training.forwardBackward([datum(1), { ...datum(1), wieghts: [0] } as never], "cross_entropy"),
      /^data\[1\]: unknown field "wieghts"/,
    ],
    [
      () => new ServiceClient({ baseUrl: stub.url, tokenizer: "Qwen/Qwen3-8B" as never }),
      /^ServiceClient: tokenizer must be an object, e\.g\. await getTokenizer\("Qwen\/Qwen3-8B"\), got a string$/,
    ],
    [
      () => new ServiceClient({ baseUrl: stub.url, tokenizer: Promise.resolve({}) as never }),
      /^ServiceClient: tokenizer must be an object, .*, got a promise: await it first$/,
    ],
    [
      () => new ServiceClient({ baseURL: stub.url } as never),
      /^the options of ServiceClient: unknown field "baseURL", did you mean "baseUrl"/,
    ],
    [
      () => new ServiceClient({ apiKey: "tml-a", credential: () => "tml-b", env: {} }),
      /^give an apiKey or a credential, not both/,
    ],
    [
      () => new ServiceClient({ transport, baseUrl: stub.url, hooks: {}, env: {} }),
      /^baseUrl, hooks beside a transport would be ignored; give them to createTransport/,
    ],
    [
      () => new ServiceClient({ transport: { close: () => {} } as never, env: {} }),
      /^ServiceClient: transport.call must be a function, got undefined/,
    ],
    [
      () => new ServiceClient({ transport: { call: () => {} } as never, env: {} }),
      /^ServiceClient: transport.close must be a function, got undefined/,
    ],
    [
      () => sampler.sample({ prompt: [1], max_tokens: 4, temperatur: 0 } as never),
      /^sample: unknown field "max_tokens": it belongs in sampling_params; unknown field "temperatur", did you mean "temperature"\? It belongs in sampling_params$/,
    ],
    [
      () => sampler.sample({ messages: [], sampling_params: { max_tokens: 4 } } as never),
      /^sample: unknown field "messages": it belongs in renderer\.buildGenerationPrompt\(messages\), which gives the prompt$/,
    ],
    [
      () => training.forwardBackward([{ messages: [] } as never], "cross_entropy"),
      /^data\[0\]: unknown field "messages": it belongs in datumFromMessages\(renderer, messages\), which gives a datum$/,
    ],
    [
      () => sampler.sample({ prompt: [1], sampling_params: { max_tokens: 4, num_samples: 2 } as never }),
      /^sample: sampling_params: unknown field "num_samples": it belongs beside sampling_params$/,
    ],
    ...(["forward", "forwardBackward", "trainStep"] as const).flatMap((method) => {
      const ownLoss = () => ({ loss: 0, gradients: [] });
      const wanted = `^${method}: loss_fn must be the name of a loss, e.g. "cross_entropy", got a`;
      const remedy = "; forwardBackwardCustom takes a loss of your own$";
      return [
        [() => training[method]([datum(1)], ownLoss as never), new RegExp(`${wanted} function${remedy}`)],
        [() => training[method]([datum(1)], {} as never), new RegExp(`${wanted}n object${remedy}`)],
        [() => training[method]([datum(1)], true as never), new RegExp(`${wanted} boolean$`)],
      ] as const;
    }),
    [
      () => training.forward([datum(1)], (() => 0) as never, { unchecked: true }),
      /^forward: loss_fn must be the name of a loss/,
    ],
    [() => training.trainStep([], "cross_entropy"), /^trainStep: no data provided/],
    [
      () => training.forwardBackwardCustom([datum(1)], "cross_entropy" as never),
      /^forwardBackwardCustom: loss must be a function .*got a string; forwardBackward takes the name of a loss$/,
    ],
    [config("x"), /^loss_fn_config must be an object/],
    [config(null), /^loss_fn_config must be an object.*got null/],
    [config({ clip_low_threshold: true }), /^loss_fn_config.clip_low_threshold must be a number or a string/],
    [() => training.loadState({ path: "tinker://r/weights/a" } as never), /got an object; pass its path$/],
    [() => training.loadState(Promise.resolve("") as never), /got a promise: await it first$/],
    [
      () => service.createSamplingClientFromHandle(structuredClone({ samplingSessionId: "s" }) as never),
      /^createSamplingClientFromHandle: handle.type must be .* give what toHandle\(\) of a sampling client gave$/,
    ],
    [
      () => training.optimStep().on("queuestate" as never, () => {}),
      /^on: event must be "queueState", got "queuestate"/,
    ],
    [() => training.optimStep().on("queueState", undefined as never), /^on: listener must be a function/],
    [
      () => training.saveState("x", { overwrite: false, onConflict: "overwrite" }),
      /^saveState: overwrite: false contradicts onConflict/,
    ],
  ];
  for (const [call, message] of calls) {
    expect(call).toThrow(ValidationError);
    expect(call).toThrow(message);
  }
  expect(stub.trace).toHaveLength(sent);
});

describe("options", () => {
  // Each method with everything but its options.
  const methods = {
    connect: ({ service }, options) => service.connect(options),
    getServerCapabilities: ({ service }, options) => service.getServerCapabilities(options),
    createLoraTrainingClient: ({ service }, options) =>
      service.createLoraTrainingClient({ base_model: "b" }, options),
    createTrainingClientFromState: ({ service }, options) =>
      service.createTrainingClientFromState("tinker://r/weights/a", options),
    createTrainingClientFromStateWithOptimizer: ({ service }, options) =>
      service.createTrainingClientFromStateWithOptimizer("tinker://r/weights/a", options),
    createSamplingClient: ({ service }, options) =>
      service.createSamplingClient({ base_model: "b" }, options),
    "service.call": ({ service }, options) => service.call("healthz", undefined, options),
    forwardBackward: ({ training }, options) =>
      training.forwardBackward([datum(1)], "cross_entropy", options),
    forward: ({ training }, options) => training.forward([datum(1)], "cross_entropy", options),
    forwardBackwardCustom: ({ training }, options) =>
      training.forwardBackwardCustom([datum(1)], () => ({ loss: 0, gradients: [[0, 0]] }), options),
    optimStep: ({ training }, options) => training.optimStep({}, options),
    saveState: ({ training }, options) => training.saveState("a", options),
    saveWeightsForSampler: ({ training }, options) => training.saveWeightsForSampler("a", options),
    saveWeightsAndGetSamplingClient: ({ training }, options) =>
      training.saveWeightsAndGetSamplingClient(options),
    loadState: ({ training }, options) => training.loadState("tinker://r/weights/a", options),
    loadStateWithOptimizer: ({ training }, options) =>
      training.loadStateWithOptimizer("tinker://r/weights/a", options),
    getInfo: ({ training }, options) => training.getInfo(options),
    sample: ({ sampler }, options) => sampler.sample({ prompt: [1], sampling_params: {} }, options),
    computeLogprobs: ({ sampler }, options) => sampler.computeLogprobs([1], options),
    getTokenizer: ({ sampler }, options) => sampler.getTokenizer(options),
  } satisfies Record<string, (clients: Awaited<ReturnType<typeof openClients>>, options: never) => unknown>;

  async function openClients() {
    const open = await openTraining();
    return { ...open, sampler: await open.service.createSamplingClient({ base_model: "b" }) };
  }

  /** The message a call is refused with, at the call or by its promise. */
  async function refusal(call: () => unknown): Promise<string> {
    try {
      await call();
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      return (error as Error).message;
    }
    return "was not refused";
  }

  it.each(Object.keys(methods) as (keyof typeof methods)[])(
    "of %s: a misspelt one, what is no object and what is no signal are refused before anything is sent",
    async (name) => {
      const clients = await openClients();
      const sent = clients.stub.trace.length;
      const call = (options: unknown) => refusal(() => methods[name](clients, options as never));
      for (const misspelt of ["timeout", "timeoutMS", "timeout_ms"]) {
        expect(await call({ [misspelt]: 1000 })).toBe(
          `the options of ${name}: unknown field "${misspelt}", did you mean "timeoutMs"?`,
        );
      }
      expect(await call({ signl: undefined })).toMatch(/unknown field "signl", did you mean "signal"/);
      if (name !== "saveWeightsAndGetSamplingClient") {
        expect(await call(1000)).toBe(`the options of ${name} must be an object, got a number`);
      }
      expect(await call(null)).toBe(`the options of ${name} must be an object, got null`);
      expect(await call({ signal: new AbortController() })).toBe(
        `${name}: signal must be an AbortSignal, got an AbortController: pass its .signal`,
      );
      expect(await call({ timeoutMs: "1000" })).toBe(
        `${name}: timeoutMs must be a number of milliseconds, got a string`,
      );
      expect(clients.stub.trace).toHaveLength(sent);
    },
  );

  it("of a wait: the same", async () => {
    const { training } = await openTraining();
    const future = training.optimStep();
    expect(await refusal(() => future.result({ timeout: 1 } as never))).toMatch(/did you mean "timeoutMs"/);
    expect(await future).toEqual({ metrics: { grad_norm: 1 } });
  });
});

describe("parameters", () => {
  it("that are misspelt or missing are named with the remedy", async () => {
    const { service, training } = await openTraining();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    expect(() => service.createLoraTrainingClient({ baseModel: "b" } as never)).toThrow(
      /unknown field "baseModel", did you mean "base_model"/,
    );
    expect(() => service.createSamplingClient({ modelPath: "tinker://" } as never)).toThrow(
      /did you mean "model_path"/,
    );
    expect(() => sampler.sample({ sampling_params: {} } as never)).toThrow(
      /^prompt is missing: give token ids/,
    );
    expect(() => training.forwardBackward([datum(1)], "ppo", { clip_low_threshold: 0.8 } as never)).toThrow(
      /^the options of forwardBackward: unknown field "clip_low_threshold"/,
    );
    expect(() => training.saveState("x", { ttlSeconds: 1 } as never)).toThrow(/did you mean "ttl_seconds"/);
  });
});
