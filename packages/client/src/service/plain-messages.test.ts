import { TinkexError } from "@tinkex/base";
import { lossGraph } from "@tinkex/tensor/loss-graph";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { openTraining } from "../testing/open-training.js";
import { ServiceClient } from "./service-client.js";

/** Sentences of zod's, in its English. */
const SENTENCES_OF_ZOD =
  /Invalid (input|option|string|number|key|element|discriminator)|expected [^,]*, received|Unrecognized key|Too (small|big)|ZodError/;

/** Values that plain JavaScript may pass where something else is wanted. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    Number.NaN,
    "",
    "text",
    5n,
    Symbol("s"),
    () => 1,
  ),
  fc.constantFrom<unknown>([], {}, [[]], [{}], [undefined], new Map(), new Date(0), Object.create(null)),
);

type Clients = Awaited<ReturnType<typeof openClients>>;

async function openClients() {
  const open = await openTraining();
  const sampler = await open.service.createSamplingClient({ base_model: "b" });
  const future = open.training.optimStep();
  await future;
  return { ...open, sampler, future };
}

const GRAPH = lossGraph("nll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => ({
  loss: logprobs.mul(weights).sum().neg(),
}));

/** The arguments that each public method takes, as plain data: one that works, which the test makes wrong in one place. */
const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  "service.connect": [{ timeoutMs: 1000 }],
  "service.getServerCapabilities": [{ headers: { a: "b" } }],
  "service.call": [
    "weights_info",
    { tinker_path: "tinker://r/weights/a" },
    { query: { a: "b" }, unchecked: false },
  ],
  "service.copyWeights": ["tinker://r/weights/a", { timeoutMs: 1000 }],
  "service.resumeFrom": ["tinker://r/weights/a", { patienceMs: 1, timeoutMs: 1000 }],
  "service.createSamplingClientFromHandle": [
    { type: "tinkex.sampler", session_id: "S", sampling_session_id: "S:sample:0", base_model: "b" },
    { timeoutMs: 1000 },
  ],
  "service.createLoraTrainingClient": [
    {
      base_model: "b",
      rank: 4,
      seed: 1,
      train_mlp: true,
      user_metadata: { a: "b" },
      optimizer_config: { type: "dimuon" },
    },
    { timeoutMs: 1000 },
  ],
  "service.createTrainingClientFromState": [
    "tinker://r/weights/a",
    { base_model: "b", user_metadata: {}, weights_access_token: "t", optimizer_config: { type: "dimuon" } },
  ],
  "service.createTrainingClientFromStateWithOptimizer": ["tinker://r/weights/a", { base_model: "b" }],
  "service.createSamplingClient": [{ model_path: "tinker://r/sampler_weights/a", base_model: "b" }, {}],
  "service.createCustomLoss": [GRAPH, {}],
  "training.createCustomLoss": [GRAPH, {}],
  "training.trainStep": [[datum(1)], "cross_entropy", { learning_rate: 1e-4 }, { strictMetrics: true }],
  "training.saveWeightsExternal": ["a", { ttl_seconds: 5, age_encryption_recipients: ["age1x"] }],
  "training.createSamplingClient": ["tinker://r/sampler_weights/a", {}],
  "training.unload": [{ timeoutMs: 1000 }],
  "training.forwardBackward": [[datum(1)], "ppo", { loss_fn_config: { clip_low_threshold: 0.8 } }],
  "training.forward": [[datum(1)], "cross_entropy", {}],
  "training.forwardBackwardCustom": [[datum(1)], () => ({ loss: 0, gradients: [[0, 0]] }), {}],
  "training.optimStep": [{ learning_rate: 1e-4, beta1: 0.9, weight_decay: 0.1 }, {}],
  "training.saveState": [
    "a",
    { ttl_seconds: 5, user_metadata: { a: "b" }, overwrite: true, onConflict: "error" },
  ],
  "training.saveWeightsForSampler": ["a", { ttl_seconds: 5, user_metadata: { a: "b" } }],
  "training.saveWeightsAndGetSamplingClient": [{ kind: "snapshot" }],
  "training.loadState": ["tinker://r/weights/a", { weights_access_token: "t" }],
  "training.loadStateWithOptimizer": ["tinker://r/weights/a", {}],
  "training.getInfo": [{ refresh: true }],
  "sampler.sample": [
    {
      prompt: { chunks: [{ tokens: [1], type: "encoded_text" }] },
      num_samples: 2,
      sampling_params: { max_tokens: 1, temperature: 1, top_p: 1, top_k: 3, stop: ["a"], seed: 1 },
      prompt_logprobs: true,
      topk_prompt_logprobs: 1,
      topk_sample_logprobs: 1,
      target_prompt_logprobs: { data: [1], dtype: "int64", shape: [1, 1] },
      prompt_alt_tokens_k: 1,
      prompt_logprobs_last_n: 1,
      record_stability_info: true,
    },
    {},
  ],
  "sampler.sampleMany": [
    [{ prompt: [1], sampling_params: { max_tokens: 1 } }],
    { concurrency: 2, order: "call", retries: 1 },
  ],
  "sampler.sampleAll": [[{ prompt: [1], sampling_params: { max_tokens: 1 } }], { concurrency: 2 }],
  "sampler.computeLogprobs": [[1, 2], { prompt_logprobs_last_n: 1 }],
  "future.result": [{ timeoutMs: 1000 }],
  "future.on": ["queueState", () => {}],
};

/** Every place in a value, the value itself included. */
function placesIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner).map((path) => [key, ...path])),
  ];
}

function replaced(value: unknown, [key, ...path]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) };
  copy[key] = replaced(copy[key], path, by);
  return copy;
}

/** Calls a method by its name in {@link CALLS}. Gives the error, at the call or of its promise. */
async function failureOf(clients: Clients, name: string, args: readonly unknown[]): Promise<unknown> {
  const [client = "", method = ""] = name.split(".");
  const subject = clients[client as "service"] as unknown as Record<string, (...args: unknown[]) => unknown>;
  try {
    await subject[method]?.(...args);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Members that take nothing, or options that other members' tests cover. */
const WITHOUT_ARGUMENTS = [
  "constructor",
  "close",
  "getTokenizer",
  "baseModel",
  "clientId",
  "toHandle",
  "stats",
  "getConsoleUrl",
];

describe("messages about wrong arguments", () => {
  it("are known for every public method", async () => {
    const clients = await openClients();
    const methods = (["service", "training", "sampler"] as const).flatMap((name) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(clients[name]))
        .filter((method) => !WITHOUT_ARGUMENTS.includes(method))
        .map((method) => `${name}.${method}`),
    );
    expect(Object.keys(CALLS)).toEqual(expect.arrayContaining(methods));
  });

  it.each(Object.keys(CALLS))("of %s hold no sentence of zod's, and are of our own errors", async (name) => {
    const clients = await openClients();
    const args = CALLS[name] ?? [];
    expect(await failureOf(clients, name, args)).not.toBeInstanceOf(TypeError);
    const places = placesIn(args).filter((path) => path.length > 0);
    const wrong = fc.tuple(fc.constantFrom(...places), anything);
    await fc.assert(
      fc.asyncProperty(wrong, async ([path, value]) => {
        const error = await failureOf(clients, name, replaced(args, path, value) as unknown[]);
        if (error === undefined) return;
        expect(String(error)).not.toMatch(SENTENCES_OF_ZOD);
        expect(error, String((error as Error).stack)).toBeInstanceOf(TinkexError);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("of the constructor hold none either", () => {
    const names = ["apiKey", "baseUrl", "userMetadata", "tags", "wire", "retry", "pools", "headers", "proxy"];
    fc.assert(
      fc.property(fc.constantFrom(...names), anything, (option, value) => {
        try {
          new ServiceClient({ env: {}, baseUrl: "http://127.0.0.1:9", [option]: value });
        } catch (error) {
          expect(error, String((error as Error).stack)).toBeInstanceOf(TinkexError);
          expect(String(error)).not.toMatch(SENTENCES_OF_ZOD);
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it.each([
    ["sampler.sample", [{ sampling_params: {} }], /^prompt is missing: give token ids/],
    [
      "sampler.sample",
      [{ promt: [1], sampling_params: {} }],
      /^sample: unknown field "promt", did you mean "prompt"\?/,
    ],
    ["sampler.sample", [{ prompt: [1] }], "sample: sampling_params: is missing; it must be an object"],
    [
      "sampler.sample",
      [{ prompt: [1], sampling_params: {}, base_model: "o" }],
      /^sample: unknown field "base_model"/,
    ],
    [
      "sampler.sample",
      [{ prompt: [1], sampling_params: { max_tokens: "5" } }],
      /max_tokens: must be .*, got a string/,
    ],
    [
      "service.createLoraTrainingClient",
      [{ baseModel: "b" }],
      /unknown field "baseModel", did you mean "base_model"\?/,
    ],
    [
      "service.createLoraTrainingClient",
      [{ base_model: "b", rank: "8" }],
      /^createLoraTrainingClient: rank: must be/,
    ],
    [
      "training.forwardBackward",
      [[datum(1)], "cross_entropie"],
      /^forwardBackward: loss_fn.*did you mean "cross_entropy"/,
    ],
    [
      "training.optimStep",
      [{ learning_rate: "1e-4" }],
      "optimStep: learning_rate: must be a finite number, got a string",
    ],
    [
      "training.saveState",
      ["a", { user_metadata: { a: 5 } }],
      "saveState: user_metadata.a: must be a string, got 5",
    ],
    [
      "service.createTrainingClientFromState",
      ["tinker://r/weights/a", { base_model: 5 }],
      "createTrainingClientFromState: base_model: must be a string, got 5",
    ],
    ["training.loadState", [5], "loadState: a checkpoint's path must start with tinker://, got a number"],
  ])("of %s name the method, the place and the remedy: %#", async (name, args, message) => {
    const clients = await openClients();
    const error = await failureOf(clients, name, args);
    expect(() => {
      throw error;
    }).toThrow(message);
  });
});
