// A program that starts the local server in a worker thread, as test runners with thread pools do, and trains on it.
import { isMainThread, Worker } from "node:worker_threads";
import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";

const [runtime] = process.argv.slice(2);

if (isMainThread) {
  new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
} else {
  const server = await startLocalServer({ runtime });
  const service = new ServiceClient({ baseUrl: server.url });
  const base_model = server.models[0].name;
  const training = await service.createLoraTrainingClient({ base_model, rank: 2 });
  const tokens = [104, 105, 10, 33];
  const loss_fn_inputs = { target_tokens: tokens, weights: [0, 1, 1, 1] };
  const pass = training.forwardBackward([{ model_input: tokens, loss_fn_inputs }], "cross_entropy");
  await training.optimStep({ learning_rate: 1e-3 });
  const sampler = await training.saveWeightsAndGetSamplingClient();
  const { sequences } = await sampler.sample({ prompt: tokens, sampling_params: { max_tokens: 3 } });
  console.log(
    server.models[0].runtime,
    Number.isFinite((await pass).metrics["loss:sum"]),
    sequences[0].tokens.length,
  );
  await service.close();
  await server.close();
}
