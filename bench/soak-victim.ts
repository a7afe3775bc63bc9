// A client that is killed in the middle of its work, for the bench `soak`: `soak-victim.ts URL MODEL`. Says "busy" once it has work under way.
import { ServiceClient } from "@tinkex/client";

const [baseUrl = "", base_model = ""] = process.argv.slice(2);
const service = new ServiceClient({ baseUrl, env: {} });
const training = await service.createLoraTrainingClient({ base_model, rank: 4 });
const tokens = Array.from({ length: 24 }, (_, index) => 50 + index);
const data = [{ model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } }];
await training.trainStep(data, "cross_entropy", { learning_rate: 1e-3 });
const sampler = await training.saveWeightsAndGetSamplingClient();
const work = [
  ...Array.from({ length: 8 }, () =>
    sampler.sample({ prompt: [60, 61], sampling_params: { max_tokens: 200, stop: [] } }),
  ),
  training.forwardBackward(data, "cross_entropy"),
  training.saveState("victim", { ttl_seconds: 20 }),
];
process.send?.("busy");
await Promise.allSettled(work);
