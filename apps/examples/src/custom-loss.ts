// Trains with a loss of its own, written as a plain function: direct preference optimisation (DPO), which teaches a model to
// prefer one of two answers. Rafailov et al. 2023, https://arxiv.org/abs/2305.18290
//
//   node apps/examples/dist/custom-loss.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/custom-loss.js   on a hosted service
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import { type CustomLoss, type DatumLike, lossOf, ServiceClient, TensorData, toNumbers } from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "8" }, model: { type: "string" } },
});
const steps = Number(options.steps);
const LEARNING_RATE = 5e-4;
/** Strength with which the model is held to where it began. */
const BETA = 0.1;

/** Questions with the answer to prefer and the one to avoid: polite ones are preferred. */
const pair = (thing: string) => ({
  question: `May I have the ${thing}? -`,
  chosen: " Of course, with pleasure.",
  rejected: " No, never.",
});
const TRAINING = ["book", "bread", "chair", "coat", "key", "lamp", "map", "milk"].map(pair);
const HELD_OUT = ["apple", "hammer", "letter", "paper", "salt", "watch"].map(pair);
type Pair = (typeof TRAINING)[number];

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
await using server = isHosted ? undefined : await startLocalServer();
await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");
const training = await service.createLoraTrainingClient({ base_model, rank: 16, seed: 1 });
const tokenizer = await training.getTokenizer();

/** A question with an answer. Weights are 1 on the answer's tokens: the loss below reads them, the service passes them on. */
function datumOf(question: string, answer: string): DatumLike {
  const prompt = tokenizer.encode(question);
  const answerTokens = tokenizer.encode(answer);
  const tokens = [...prompt, ...answerTokens];
  const weights = [
    ...new Array<number>(prompt.length - 1).fill(0),
    ...new Array<number>(answerTokens.length).fill(1),
  ];
  return { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1), weights } };
}

/** Two datums a pair: the chosen answer, then the rejected one. */
const datumsOf = (pairs: readonly Pair[]) =>
  pairs.flatMap(({ question, chosen, rejected }) => [datumOf(question, chosen), datumOf(question, rejected)]);

/** The log-probability of an answer as a whole: the sum over its own tokens. */
function answerLogprob(weights: ArrayLike<number>, logprobs: ArrayLike<number>): number {
  let sum = 0;
  for (let position = 0; position < logprobs.length; position += 1)
    sum += (weights[position] ?? 0) * (logprobs[position] ?? 0);
  return sum;
}

/** Log-probabilities that the model, as it is now, gives each answer. */
async function score(data: readonly DatumLike[]): Promise<number[]> {
  const { loss_fn_outputs } = await training.forward(data, "cross_entropy");
  return loss_fn_outputs.map(({ logprobs }, index) => {
    if (logprobs === undefined) throw new Error("the service gave no log-probabilities");
    return answerLogprob(weightsOf(data[index]), toNumbers(logprobs));
  });
}

const weightsOf = (datum: Pick<DatumLike, "loss_fn_inputs"> | undefined) =>
  toNumbers(TensorData.from(datum?.loss_fn_inputs.weights ?? [], { key: "weights" }));

/** By how many nats the chosen answer is ahead of the rejected one, of each pair, more than the reference had it. */
const marginsOf = (scores: readonly number[], reference: readonly number[]) =>
  Array.from({ length: scores.length / 2 }, (_, pair) => {
    const gain = (index: number) => (scores[index] ?? 0) - (reference[index] ?? 0);
    return gain(2 * pair) - gain(2 * pair + 1);
  });

/** The loss of DPO: `-log sigmoid(beta * margin)`, a mean over pairs. It gives its value and its derivative by each log-probability. */
const dpoLoss =
  (reference: readonly number[]): CustomLoss =>
  (data, logprobs) => {
    const weights = data.map(weightsOf);
    const margins = marginsOf(
      logprobs.map((row, index) => answerLogprob(weights[index] ?? [], row)),
      reference,
    );
    const loss = mean(margins.map((margin) => Math.log1p(Math.exp(-BETA * margin))));
    // d loss / d margin, and margin = ± the sum of an answer's log-probabilities.
    const slopes = margins.map((margin) => -BETA / (1 + Math.exp(BETA * margin)) / margins.length);
    const gradients = weights.map((row, index) => {
      const sign = index % 2 === 0 ? 1 : -1;
      return row.map((weight) => sign * (slopes[index >> 1] ?? 0) * weight);
    });
    return { loss, gradients, metrics: { "dpo/margin:mean": mean(margins) } };
  };

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** The share of held-out pairs whose chosen answer is the likelier one. */
const preferred = (scores: readonly number[]) =>
  mean(marginsOf(scores, []).map((margin) => (margin > 0 ? 1 : 0)));

const data = datumsOf(TRAINING);
const heldOut = datumsOf(HELD_OUT);
// The reference is the model before training: a fresh adapter changes nothing yet.
const [reference, before] = await Promise.all([score(data), score(heldOut)]);
const loss = dpoLoss(reference);

const losses: number[] = [];
for (let step = 0; step < steps; step += 1) {
  // Scores on the service, calls `loss` here, and takes its gradient back to the service: one turn in the order of calls.
  const pass = training.forwardBackwardCustom(data, loss);
  const update = training.optimStep({ learning_rate: LEARNING_RATE });
  const [output] = await Promise.all([pass, update]);
  losses.push(lossOf(output)?.value ?? Number.NaN);
  console.log(
    `step ${step + 1}/${steps}  loss ${losses.at(-1)?.toFixed(3)}  margin ${output.metrics["dpo/margin:mean"]?.toFixed(1)} nats`,
  );
}

const after = await score(heldOut);
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
console.log(`loss: ${losses[0]?.toFixed(3)} -> ${losses.at(-1)?.toFixed(3)}`);
console.log(
  `held-out answers preferred as wished: ${percent(preferred(before))} -> ${percent(preferred(after))}`,
);
