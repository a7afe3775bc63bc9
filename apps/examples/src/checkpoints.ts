// Saves a model in the midst of its training and goes on from there, in every way there is: the same numbers come out as without
// a break. On the way it shows what a future can tell of its work.
//
//   node apps/examples/dist/checkpoints.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/checkpoints.js   on a hosted service
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import { type DatumLike, lossGraph, lossOf, ServiceClient, type TrainingClient } from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "4" }, model: { type: "string" } },
});
const steps = Number(options.steps);

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
await using server = isHosted ? undefined : await startLocalServer();
const service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");

try {
  await service.connect(); // says early when nobody is there
  const { supported_models } = await service.getServerCapabilities();
  console.log(`models: ${supported_models.map(({ model_name }) => model_name).join(", ")}`);

  const training = await service.createLoraTrainingClient({ base_model, rank: 8, seed: 1 });
  const { model_data } = await training.getInfo();
  const tokenizer = await training.getTokenizer();
  console.log(`trains ${model_data.model_name}, ${tokenizer.vocabularySize} tokens`);
  const tokens = tokenizer.encode("the cat sat on the mat");
  const datum: DatumLike = {
    model_input: tokens.slice(0, -1),
    loss_fn_inputs: { target_tokens: tokens.slice(1) },
  };

  /** Some steps of training; the loss of the last one. */
  const train = async (client: TrainingClient): Promise<number> => {
    let loss = Number.NaN;
    for (let step = 0; step < steps; step += 1) {
      // As forwardBackward() and optimStep() in a row, but no step is taken of a pass that was refused.
      const { forwardBackward } = await client.trainStep([datum], "cross_entropy", { learning_rate: 2e-3 });
      loss = lossOf(forwardBackward)?.value ?? Number.NaN;
    }
    return loss;
  };
  await train(training);

  // Saved with the optimizer's state, for a day. The name may be taken by an earlier run.
  const save = training.saveState("midway", { overwrite: true, ttl_seconds: 86_400 });
  save.on("queueState", ({ state, reason }) =>
    console.log(`the save is ${state}${reason ? `: ${reason}` : ""}`),
  );
  await save.submitted; // the service has it; the result comes later
  console.log(`request ${save.requestId} was accepted as number ${save.seqId}`);
  const { path } = await save.result({ timeoutMs: 60_000 }); // ends the waiting, not the save
  const info = await service.call("weights_info", { tinker_path: path }); // any endpoint by its name
  console.log(`step midway: saved ${path}, of ${info.base_model}`);

  // 1. The client that never stopped. 2. A new one with the optimizer's state. 3. One that is put back. 4. Weights alone.
  const straight = await train(training);
  const resumed = await service.createTrainingClientFromStateWithOptimizer(path);
  const other = await service.createLoraTrainingClient({ base_model, rank: 8 });
  await other.loadStateWithOptimizer(path);
  const [fromCheckpoint, putBack] = await Promise.all([train(resumed), train(other)]);
  console.log(`step on: loss ${straight.toFixed(4)} without a break`);
  console.log(
    `step on: loss ${fromCheckpoint.toFixed(4)} from the checkpoint, ${putBack.toFixed(4)} put back`,
  );
  const fresh = await service.createTrainingClientFromState(path);
  const again = await service.createLoraTrainingClient({ base_model, rank: 8 });
  await again.loadState(path);
  const [fromWeights, weightsPutBack] = await Promise.all([train(fresh), train(again)]);
  console.log(
    `step on: loss ${fromWeights.toFixed(4)} and ${weightsPutBack.toFixed(4)} with a fresh optimizer`,
  );

  // A loss as a graph, made once for all training clients of the session; loss-graph.ts trains with one.
  const nll = await service.createCustomLoss(
    lossGraph("nll", { logprobs: 1 }, ({ logprobs }) => ({ loss: logprobs.sum().neg() })),
  );
  const scored = await training.forwardBackwardCustom([datum], nll);
  console.log(`the loss as a graph is ${lossOf(scored)?.value.toFixed(4)}`);

  // Weights to sample from, under a name of their own.
  const saved = await training.saveWeightsForSampler("mat", { onConflict: "reuse" });
  const sampler = await training.createSamplingClient(saved.path);
  const base = await service.createSamplingClient({ base_model });
  // An export for use elsewhere, which the local server does not make.
  if (isHosted) console.log(`exported ${(await training.saveWeightsExternal("mat")).path}`);
  const sum = (values: readonly (number | null)[]) =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const [before, after] = await Promise.all([base.computeLogprobs(tokens), sampler.computeLogprobs(tokens)]);

  // The same sampler in a worker or another process: a handle is plain data without a key (postMessage, JSON).
  const copy = await service.createSamplingClientFromHandle(sampler.toHandle());
  const scores = await copy.computeLogprobs(tokens);
  console.log(`a copy of the sampler scores ${sum(scores) === sum(after) ? "the same" : "otherwise"}`);

  const prompt = tokens.slice(0, 8);
  const { sequences } = await sampler.sample({ prompt, sampling_params: { max_tokens: 14, temperature: 0 } });
  const text = (await sampler.getTokenizer()).decode([...prompt, ...(sequences[0]?.tokens ?? [])]);
  console.log(`a sampler of ${sampler.baseModel} says ${JSON.stringify(text)}`);

  // Many requests, so many at a time: as they come, or all in order.
  const many = [4, 8, 12].map((length) => ({
    prompt: tokens.slice(0, length),
    sampling_params: { max_tokens: 4 },
  }));
  for await (const { index, error } of sampler.sampleMany(many, { concurrency: 2 })) {
    if (error !== undefined) console.log(`request ${index} failed: ${String(error)}`);
  }
  const responses = await sampler.sampleAll(many);
  console.log(`drew ${responses.length} samples twice`);

  // Gives up work that is not wanted any more; `false`: too late, or the service could not be told.
  const unwanted = sampler.sample({ prompt: tokens, sampling_params: { max_tokens: 64 } });
  const isGivenUp = await unwanted.cancel();
  await unwanted.catch((error: unknown) => console.log(`given up (${isGivenUp}): ${String(error)}`));

  await Promise.all([sampler.close(), other.close(), resumed.unload()]); // no more calls of these; the rest goes on
  console.log(`log-probability of the text: ${sum(before).toFixed(2)} -> ${sum(after).toFixed(2)}`);
  await service.close({ status: "success" });
} catch (error) {
  await service.close({ status: "errored", detail: error instanceof Error ? error.message : undefined });
  throw error;
}
