import {
  ClosedError,
  type ServiceClient,
  type TrainingClient,
  UnsupportedByServerError,
} from "@tinkex/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openService, print } from "./open-service.js";
import { OtherServer } from "./other-server.js";
import {
  createModel,
  gapOf,
  logprobsOf,
  lossOf,
  OVERFIT,
  readSequence,
  type Sequence,
  trainPipelined,
} from "./overfit.js";
import { runReference } from "./run-reference.js";
import { MAX_OPEN_MODELS, MODEL_NAME, SKYRL_0_3, SKYRL_0_4 } from "./server-kinds.js";

/** Largest difference of two series of losses, of more than 100 at their beginning. */
const SERIES_TOLERANCE = 1e-4;
/** Largest difference of log-probabilities of the same weights. */
const LOGPROB_TOLERANCE = 1e-5;

/** Gives the log-probabilities of the sequence as a model has them. */
const score = async (training: TrainingClient, { datum }: Sequence): Promise<Float32Array> =>
  logprobsOf(await training.forward([datum], "cross_entropy"));

describe.each([SKYRL_0_4, SKYRL_0_3])("$title, beside the official SDK", (kind) => {
  let server: OtherServer;

  beforeAll(async () => {
    server = await OtherServer.start(kind);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("learns a text in thirty pipelined steps with the losses of the SDK, and samples it", async () => {
    const sequence = await readSequence();
    const reference = await runReference(server, sequence);
    expect(reference.sdk).toBe(kind.sdk);
    const service = openService(server);
    const startedAtMs = Date.now();
    const training = await createModel(service);
    const createdAtMs = Date.now();
    const series = await trainPipelined(training, sequence, OVERFIT.steps);
    const gap = gapOf(series, reference.losses);
    print(server, `created in ${createdAtMs - startedAtMs} ms, 30 pairs in ${Date.now() - createdAtMs} ms`);
    print(server, `loss ${series[0]} to ${series.at(-1)}, ${gap} from the official SDK ${reference.sdk}`);
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
    expect(series.at(-1)).toBeLessThan(5);

    const trained = await score(training, sequence);
    const { path } = await training.saveWeightsForSampler("learnt");
    const samplers = [
      await training.saveWeightsAndGetSamplingClient(),
      await service.createSamplingClient({ model_path: path }),
    ];
    for (const sampler of samplers) {
      const { sequences } = await sampler.sample({
        prompt: sequence.prompt,
        sampling_params: { max_tokens: sequence.answer.length, temperature: 0 },
      });
      expect(Array.from(sequences[0]?.tokens ?? [])).toEqual(sequence.answer);
      const scores = await sampler.computeLogprobs(sequence.tokens);
      expect(scores).toHaveLength(sequence.tokens.length);
      expect(scores[0]).toBeNull();
      const scoreGap = gapOf(scores.slice(1).map(Number), trained);
      print(server, `greedy sample is the text; computeLogprobs is ${scoreGap} from the trainer's`);
      expect(scoreGap).toBeLessThan(LOGPROB_TOLERANCE);
    }
    // Sampling has not changed the weights in training.
    expect(await score(training, sequence)).toEqual(trained);
  });
});

describe.each([SKYRL_0_4, SKYRL_0_3])("$title", (kind) => {
  let server: OtherServer;
  let sequence: Sequence;
  /** The losses of a run on its own. */
  let series: readonly number[];

  beforeAll(async () => {
    sequence = await readSequence();
    server = await OtherServer.start(kind);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("trains on its own, to compare with", async () => {
    const service = openService(server);
    series = await trainPipelined(await createModel(service), sequence, 20);
    expect(series.at(-1)).toBeLessThan((series[0] ?? 0) / 10);
  });

  it("runs a loss of the caller's own, with the results of the same loss on the server", async () => {
    const service = openService(server);
    const training = await createModel(service);
    const losses: number[] = [];
    for (let step = 0; step < 3; step++) {
      const pass = training.forwardBackwardCustom([sequence.datum], (_, [logprobs]) => ({
        loss: lossOf(logprobs ?? [], sequence.weights),
        gradients: [Float32Array.from(sequence.weights, (weight) => -weight)],
        metrics: { "tokens:sum": sequence.weights.length },
      }));
      const stepped = training.optimStep({ learning_rate: OVERFIT.learning_rate });
      const { metrics } = await pass;
      expect(metrics["tokens:sum"]).toBe(sequence.weights.length);
      losses.push(metrics["loss:sum"] ?? Number.NaN);
      await stepped;
    }
    const gap = gapOf(losses, series.slice(0, 3));
    print(server, `custom loss: ${gap} from the server's own in three steps`);
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
  });

  it("goes on from a checkpoint, with the optimizer as if it had never stopped", async () => {
    const service = openService(server);
    const first = await createModel(service);
    await trainPipelined(first, sequence, 10);
    const { path = "" } = await first.saveState("tenth");
    const saved = await score(first, sequence);
    const withOptimizer = await service.createTrainingClientFromStateWithOptimizer(path);
    const fresh = await service.createTrainingClientFromState(path);
    const loaded = await createModel(service);
    await loaded.loadState(path);
    for (const client of [withOptimizer, fresh, loaded]) {
      expect(gapOf(await score(client, sequence), saved)).toBeLessThan(LOGPROB_TOLERANCE);
    }
    const kept = await trainPipelined(withOptimizer, sequence, 10);
    const restarted = await trainPipelined(fresh, sequence, 10);
    const gaps = [kept, restarted].map((losses) => gapOf(losses, series.slice(10, 20)));
    print(server, `loaded with optimizer: ${gaps[0]} from the undisturbed series; without: ${gaps[1]}`);
    expect(gaps[0]).toBeLessThan(SERIES_TOLERANCE);
    // SkyRL 0.3.0 loads the optimizer's state in any case.
    if (kind === SKYRL_0_4) expect(gaps[1]).toBeGreaterThan(10 * SERIES_TOLERANCE);
  });

  it("serves four clients at once, each with its own series", async () => {
    const train = async (service: ServiceClient): Promise<number[]> =>
      trainPipelined(await createModel(service), sequence, 10);
    const all = await Promise.all(Array.from({ length: 4 }, () => train(openService(server))));
    const gaps = all.map((losses) => gapOf(losses, series.slice(0, 10)));
    print(server, `four clients at once: ${Math.max(...gaps)} from the series of one`);
    expect(Math.max(...gaps)).toBeLessThan(SERIES_TOLERANCE);
  });

  it("unloads a model, and closing a service leaves none behind", async () => {
    for (let round = 0; round < MAX_OPEN_MODELS + 2; round++) {
      const service = openService(server);
      const training = await createModel(service);
      if (round % 2 === 0) {
        await training.unload();
        await expect(training.optimStep()).rejects.toThrow(ClosedError);
      }
      await service.close();
    }
    const count = MAX_OPEN_MODELS + 2;
    print(server, `${count} models in turn where ${MAX_OPEN_MODELS} fit: none was left behind`);
  });

  it.runIf(kind === SKYRL_0_4)(
    "says by REST what a run leaves behind, deletes it, and what it lacks is named",
    async () => {
      const service = openService(server);
      const { rest } = service;
      const training = await createModel(service);
      const { path = "" } = await training.saveState("kept");
      const { path: samplerPath } = await training.saveWeightsForSampler("sampled");
      const runs = await rest.trainingRuns().toArray();
      expect(runs.map(({ training_run_id }) => training_run_id)).toContain(training.modelId);
      expect(await rest.getTrainingRun(training.modelId)).toMatchObject({ base_model: MODEL_NAME });
      expect(await rest.getWeightsInfoByTinkerPath(path)).toMatchObject({ base_model: MODEL_NAME });
      const listed = async (): Promise<string[]> => {
        const { checkpoints } = await rest.listCheckpoints(training.modelId);
        return checkpoints.map(({ tinker_path }) => tinker_path).sort();
      };
      const fullSamplerPath = `tinker://${training.modelId}/sampler_weights/sampled`;
      expect(await listed()).toEqual([fullSamplerPath, path]);
      await rest.deleteCheckpointFromTinkerPath(path);
      expect(await listed()).toEqual([fullSamplerPath]);
      await expect(rest.getWeightsInfoByTinkerPath(path)).rejects.toMatchObject({ code: "not_found" });
      print(
        server,
        `REST: ${runs.length} runs listed, a checkpoint described and deleted; sampler path ${samplerPath}`,
      );

      const lacking = {
        list_checkpoints: () => rest.listUserCheckpoints(),
        list_sessions: () => rest.listSessions(),
        get_session: () => rest.getSession("session_1"),
        search_sessions: () => rest.searchSessions({}),
        publish_checkpoint: () => rest.publishCheckpointFromTinkerPath(path),
        set_checkpoint_ttl: () => rest.setCheckpointTtlFromTinkerPath(path, 3600),
        copy_weights: () => rest.copyWeights(path, { destination_project_id: "project" }),
      };
      for (const [endpoint, call] of Object.entries(lacking)) {
        const error = await call().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        print(server, `lacking ${endpoint}: ${error}`);
        expect.soft(error, endpoint).toBeInstanceOf(UnsupportedByServerError);
        expect.soft(error, endpoint).toMatchObject({ message: expect.stringContaining(endpoint) });
      }
    },
  );
});
