// Trains with a loss of its own, built as a graph of operations: the focal loss, which looks at the tokens that the model does not
// know yet. A service that runs losses itself is sent the graph once, and each pass is one request; for any other the loss runs
// here, with the same results. Lin et al. 2017, https://arxiv.org/abs/1708.02002
//
//   node apps/examples/dist/loss-graph.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/loss-graph.js   on a hosted service
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import { type DatumLike, lossGraph, lossOf, ServiceClient } from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "12" }, model: { type: "string" } },
});
const steps = Number(options.steps);
const LEARNING_RATE = 1e-3;
/** Strength with which tokens that are known already are left alone; 0 is the plain negative log-likelihood. */
const FOCUS = 2;

// The function runs once, here and now: it says which operations follow one another, and sees no numbers. `logprobs` and `weights`
// are those of one datum, both [N]; the losses of the datums add up.
const focalLoss = lossGraph("focal", { logprobs: 1, weights: 1 }, ({ logprobs, weights }, { sub }) => {
  const probability = logprobs.exp();
  const focus = sub(1, probability).pow(FOCUS);
  const tokenCount = weights.sum();
  return {
    loss: logprobs.mul(focus).mul(weights).sum().neg(),
    metrics: {
      "custom/known:mean": probability.gt(0.5).mul(weights).sum().div(tokenCount),
      "custom/nll:mean": logprobs.mul(weights).sum().neg().div(tokenCount),
    },
  };
});

const ANSWERS = ["cat: a small animal", "oak: a tall tree", "rye: a kind of grass", "ruby: a red stone"];

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
await using server = isHosted ? undefined : await startLocalServer();
await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");
const training = await service.createLoraTrainingClient({ base_model, rank: 16, seed: 1 });
const tokenizer = await training.getTokenizer();

/** A line to learn, word and explanation; the weights are 1 on the explanation. */
function datumOf(line: string): DatumLike {
  const tokens = tokenizer.encode(line);
  const wordLength = tokenizer.encode(line.slice(0, line.indexOf(":") + 1)).length;
  const weights = tokens.slice(1).map((_, position) => (position + 1 < wordLength ? 0 : 1));
  return { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1), weights } };
}

const data = ANSWERS.map(datumOf);
const loss = await training.createCustomLoss(focalLoss);
console.log(`the loss runs ${loss.lossId === undefined ? "here" : `on the service, as ${loss.lossId}`}`);

const losses: number[] = [];
const known: number[] = [];
for (let step = 0; step < steps; step += 1) {
  const pass = training.forwardBackwardCustom(data, loss);
  const update = training.optimStep({ learning_rate: LEARNING_RATE });
  const [output] = await Promise.all([pass, update]);
  losses.push(lossOf(output)?.value ?? Number.NaN);
  // A service that runs the loss need not give these.
  known.push(100 * (output.metrics["custom/known:mean"] ?? Number.NaN));
  const likelihood = output.metrics["custom/nll:mean"]?.toFixed(2);
  console.log(`step ${step + 1}/${steps}  loss ${losses.at(-1)?.toFixed(2)}  ${likelihood} nats a token`);
}

console.log(`loss: ${losses[0]?.toFixed(2)} -> ${losses.at(-1)?.toFixed(2)}`);
console.log(`tokens known: ${known[0]?.toFixed(0)} % -> ${known.at(-1)?.toFixed(0)} %`);
