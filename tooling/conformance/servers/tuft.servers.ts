import {
  ApiStatusError,
  type DatumLike,
  type ServiceClient,
  SessionLostError,
  type TrainingClient,
} from "@tinkex/client";
import { every, HostileServer, on, relay, relayThen, reset } from "@tinkex-tooling/hostile-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openService, print } from "./open-service.js";
import { OtherServer } from "./other-server.js";
import { createModel, gapOf, OVERFIT, readSequence, type Sequence, trainPipelined } from "./overfit.js";
import { runReference } from "./run-reference.js";
import { MODEL_NAME, TUFT } from "./server-kinds.js";

const SERIES_TOLERANCE = 1e-4;

/** Its toy has one set of weights for all models, which no checkpoint keeps, so that series are compared on new servers only. */
describe(TUFT.title, () => {
  let server: OtherServer;
  let sequence: Sequence;

  beforeAll(async () => {
    sequence = await readSequence();
    server = await OtherServer.start(TUFT);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  /** Takes pipelined steps. @returns the number that the server gives each */
  const takeSteps = async (training: TrainingClient, count: number): Promise<number[]> => {
    const steps = Array.from({ length: count }, () => {
      training.forwardBackward([sequence.datum], "cross_entropy");
      return training.optimStep({ learning_rate: OVERFIT.learning_rate });
    });
    return (await Promise.all(steps)).map(({ metrics }) => metrics?.["step:max"] ?? Number.NaN);
  };

  const modelsOf = async (service: ServiceClient): Promise<string[]> => {
    const { training_runs } = await service.call("list_training_runs", undefined);
    return training_runs.map(({ training_run_id }) => training_run_id);
  };

  it("takes thirty pipelined steps with the losses that the official SDK has one after the other", async () => {
    const other = await OtherServer.start(TUFT);
    onTestFinished(() => other[Symbol.asyncDispose]());
    const reference = await runReference(other, sequence);
    expect(reference.sdk).toBe(TUFT.sdk);
    const training = await createModel(openService(server));
    const startedAtMs = Date.now();
    const series = await trainPipelined(training, sequence, OVERFIT.steps);
    const gap = gapOf(series, reference.losses);
    print(
      server,
      `30 pairs in ${Date.now() - startedAtMs} ms, ${gap} from the official SDK ${reference.sdk}`,
    );
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
    expect(new Set(series).size).toBe(OVERFIT.steps);
  });

  it("runs a loss of the caller's own", async () => {
    const training = await createModel(openService(server));
    const { metrics } = await training.forwardBackwardCustom([sequence.datum], (_, [logprobs]) => ({
      loss: logprobs?.length ?? 0,
      gradients: [Float32Array.from(sequence.weights, (weight) => -weight)],
      metrics: { "tokens:sum": sequence.weights.length },
    }));
    expect(metrics).toMatchObject({
      "loss:sum": sequence.weights.length,
      "tokens:sum": sequence.weights.length,
    });
    await training.optimStep();
  });

  it("saves, samples, scores one number a token, and goes on from a checkpoint", async () => {
    const service = openService(server);
    const training = await createModel(service);
    await takeSteps(training, 2);
    const { path = "" } = await training.saveState("second");
    const { path: samplerPath } = await training.saveWeightsForSampler("sampler");
    const samplers = [
      await training.saveWeightsAndGetSamplingClient(),
      await service.createSamplingClient({ model_path: samplerPath }),
      await service.createSamplingClient({ base_model: MODEL_NAME }),
    ];
    for (const sampler of samplers) {
      const { sequences } = await sampler.sample({
        prompt: sequence.prompt,
        num_samples: 2,
        sampling_params: { max_tokens: 5, temperature: 0 },
      });
      // The toy counts on from the last token of the prompt.
      const last = sequence.prompt.at(-1) ?? 0;
      const counted = [1, 2, 3, 4, 5].map((step) => last + step);
      expect(sequences.map(({ tokens }) => Array.from(tokens))).toEqual([counted, counted]);
      const scores = await sampler.computeLogprobs(sequence.tokens);
      expect(scores).toHaveLength(sequence.tokens.length);
    }
    for (const again of [
      await service.createTrainingClientFromStateWithOptimizer(path),
      await service.createTrainingClientFromState(path),
    ]) {
      expect(again.modelId).not.toBe(training.modelId);
      expect(await takeSteps(again, 2)).toHaveLength(2);
    }
  });

  it("serves four clients at once, the steps of each in their order", async () => {
    const trainings = await Promise.all(Array.from({ length: 4 }, () => createModel(openService(server))));
    const numbers = await Promise.all(trainings.map((training) => takeSteps(training, 20)));
    for (const own of numbers) expect(own).toEqual(own.slice().sort((a, b) => a - b));
    print(server, `four clients at once: ${new Set(numbers.flat()).size} numbers for 80 steps`);
  });

  it("loses nothing when every third answer to a poll is lost", async () => {
    const lossy = every(3, relayThen(server.port, reset), relay(server.port));
    // A request sent again after a lost answer is refused: TuFT keeps no result of a number that it has seen.
    const front = await HostileServer.play(on({ path: "/retrieve_future" }, lossy), relay(server.port));
    onTestFinished(() => front[Symbol.asyncDispose]());
    const training = await createModel(openService({ kind: TUFT, url: front.url }));
    const numbers = await takeSteps(training, 20);
    print(server, `every third answer lost: ${front.requests.length} requests for 20 pairs`);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  const refusals: readonly (readonly [
    string,
    (training: TrainingClient, datum: DatumLike) => Promise<unknown>,
  ])[] = [
    ["a loss that it does not know", async (training, datum) => training.forwardBackward([datum], "gspo")],
    ["a checkpoint that is not there", async (training) => training.loadState("tinker://none/weights/none")],
    [
      // TuFT has this setting to show how an error within the work is told.
      "a pass that fails in its work",
      async (training) => {
        const { model_input, loss_fn_inputs } = sequence.datum;
        const zeros = sequence.weights.map(() => 0);
        const inputs = { target_tokens: loss_fn_inputs.target_tokens, logprobs: zeros, advantages: zeros };
        return training.forwardBackward([{ model_input, loss_fn_inputs: inputs }], "ppo", {
          loss_fn_config: { raise_missing_input: 1 },
          unchecked: true,
        });
      },
    ],
  ];

  it.each(refusals)("the call after one that was refused works: %s", async (_, refused) => {
    const training = await createModel(openService(server));
    await takeSteps(training, 2);
    const error = await refused(training, sequence.datum).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    print(server, `refused: ${error}`);
    expect(error).toBeInstanceOf(ApiStatusError);
    const [first = 0, ...others] = await takeSteps(training, 3);
    expect(others).toEqual([first + 1, first + 2]);
  });

  it("unloads a model, and closing a service leaves none behind", async () => {
    const watching = openService(server);
    const service = openService(server);
    const [unloaded, left] = [await createModel(service), await createModel(service)];
    expect(await modelsOf(watching)).toEqual(expect.arrayContaining([unloaded.modelId, left.modelId]));
    await unloaded.unload();
    const models = await modelsOf(watching);
    expect(models).toContain(left.modelId);
    expect(models).not.toContain(unloaded.modelId);
    await service.close();
    expect(await modelsOf(watching)).not.toContain(left.modelId);
  });

  it("names the checkpoint to go on from when the server was killed and started again", async () => {
    const service = openService(server);
    const training = await createModel(service);
    await takeSteps(training, 2);
    const { path = "" } = await training.saveState("half");
    server.kill();
    await server.begin();
    const error = await training.optimStep().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    print(server, `killed: ${error}`);
    expect(error).toBeInstanceOf(SessionLostError);
    expect(error).toMatchObject({ lastCheckpoint: path });
    // It keeps models in memory alone; a new one is made in a new session.
    expect(await takeSteps(await createModel(service), 2)).toEqual([1, 2]);
  });
});
