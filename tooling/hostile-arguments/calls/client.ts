import { events, lossOf, type SamplingClient, ServiceClient, type TrainingClient } from "@tinkex/client";
import { whole } from "../hostile-values.js";
import { call, type PublicCalls } from "../public-call.js";
import { graphArgument } from "./loss-graph.js";
import { restCalls } from "./rest.js";

const path = "tinker://run/weights/a";
const wait = () => ({ timeoutMs: 50, signal: new AbortController().signal });
const datum = () => ({
  model_input: [1, 2],
  loss_fn_inputs: { target_tokens: [1, 2], weights: [0, 1] },
});

/** Methods of the three clients. */
export function clientCalls(
  service: ServiceClient,
  training: TrainingClient,
  sampler: SamplingClient,
): PublicCalls {
  return {
    ...restCalls(service),
    lossOf: call(lossOf, () => [{ metrics: { "loss:mean": 1 } }]),
    "training.createCustomLoss": call(training.createCustomLoss.bind(training), () => [
      graphArgument(),
      wait(),
    ]),
    ServiceClient: call(
      (options: ConstructorParameters<typeof ServiceClient>[0]) => new ServiceClient(options),
      () => [
        {
          baseUrl: "http://127.0.0.1:9",
          apiKey: "tml-abc",
          env: {},
          headers: { x: "y" },
          retry: {},
          pools: {},
          timeoutMs: 50,
        },
      ],
    ),
    "service.connect": call(
      (o: object) => service.connect(o),
      () => [wait()],
    ),
    "service.getServerCapabilities": call(
      (o: object) => service.getServerCapabilities(o),
      () => [wait()],
    ),
    "service.call": call(service.call.bind(service), () => ["get_info", { model_id: "m" }, wait()]),
    "service.createLoraTrainingClient": call(service.createLoraTrainingClient.bind(service), () => [
      { base_model: "b", rank: 4, user_metadata: { a: "b" } },
      wait(),
    ]),
    "service.createTrainingClientFromState": call(service.createTrainingClientFromState.bind(service), () => [
      path,
      wait(),
    ]),
    "service.createTrainingClientFromStateWithOptimizer": call(
      service.createTrainingClientFromStateWithOptimizer.bind(service),
      () => [path, wait()],
    ),
    "service.resumeFrom": call(service.resumeFrom.bind(service), () => [path, { ...wait(), patienceMs: 1 }]),
    "service.createSamplingClientFromHandle": call(
      service.createSamplingClientFromHandle.bind(service),
      () => [
        { type: "tinkex.sampler", session_id: "S", sampling_session_id: "S:sample:0", base_model: "b" },
        wait(),
      ],
    ),
    events: call(events, () => [whole(service), { channels: ["operation"], maxBuffered: 5 }]),
    "service.createSamplingClient": call(service.createSamplingClient.bind(service), () => [
      { base_model: "b" },
      wait(),
    ]),
    "training.forwardBackward": call(training.forwardBackward.bind(training), () => [
      [datum()],
      "cross_entropy",
      { ...wait(), loss_fn_config: { x: 1 } },
    ]),
    "training.forward": call(training.forward.bind(training), () => [[datum()], "cross_entropy", wait()]),
    "training.forwardBackwardCustom": call(training.forwardBackwardCustom.bind(training), () => [
      [datum()],
      () => ({ loss: 0, gradients: [[0, 0]] }),
      wait(),
    ]),
    "training.optimStep": call(training.optimStep.bind(training), () => [
      { learning_rate: 1e-4, beta1: 0.9, beta2: 0.95, eps: 1e-12 },
      wait(),
    ]),
    "training.saveState": call(training.saveState.bind(training), () => ["a", { ...wait(), ttl_seconds: 5 }]),
    "training.saveWeightsForSampler": call(training.saveWeightsForSampler.bind(training), () => [
      "a",
      { ...wait(), ttl_seconds: 5 },
    ]),
    "training.saveWeightsAndGetSamplingClient": call(
      training.saveWeightsAndGetSamplingClient.bind(training),
      () => [wait()],
    ),
    "training.loadState": call(training.loadState.bind(training), () => [path, wait()]),
    "training.loadStateWithOptimizer": call(training.loadStateWithOptimizer.bind(training), () => [
      path,
      wait(),
    ]),
    "training.getInfo": call(training.getInfo.bind(training), () => [wait()]),
    "training.getTokenizer": call(training.getTokenizer.bind(training), () => [wait()]),
    "sampler.sample": call(sampler.sample.bind(sampler), () => [
      {
        prompt: [1, 2],
        num_samples: 1,
        sampling_params: { max_tokens: 5, temperature: 1, stop: ["x"], seed: 1 },
      },
      wait(),
    ]),
    "sampler.computeLogprobs": call(sampler.computeLogprobs.bind(sampler), () => [[1, 2], wait()]),
    "sampler.getTokenizer": call(sampler.getTokenizer.bind(sampler), () => [wait()]),
    "future.result": call(
      (o: object) => training.optimStep({}, wait()).result(o),
      () => [wait()],
    ),
  };
}
