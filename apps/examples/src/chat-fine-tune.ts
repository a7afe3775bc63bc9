// Fine-tunes a model on a small set of chats, and asks it before and after: it learns to greet people by name.
//
//   node apps/examples/dist/chat-fine-tune.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/chat-fine-tune.js   on a hosted service
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import {
  type Datum,
  datumFromMessages,
  getRenderer,
  lossOf,
  type Message,
  rendererNameFor,
  type SamplingClient,
  ServiceClient,
  textOf,
} from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "36" }, model: { type: "string" } },
});
const steps = Number(options.steps);
const BATCH_SIZE = 8;
const LEARNING_RATE = 3e-3;

/** The chats to learn from. */
const NAMES =
  "Ada Ben Cleo Dora Emil Finn Greta Hugo Iris Jonas Kira Leo Mona Nils Olga Paul Rosa Sven Tilda Uma".split(
    " ",
  );
/** Names that training never shows. */
const HELD_OUT = ["Anna", "Bruno", "Clara", "Lena", "Oskar", "Theo"];

const greeting = (name: string) => `Hello, ${name}! Nice to meet you.`;
const question = (name: string): Message => ({ role: "user", content: `I am ${name}.` });
const chat = (name: string): Message[] => [question(name), { role: "assistant", content: greeting(name) }];

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
await using server = isHosted ? undefined : await startLocalServer();
await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");

const training = await service.createLoraTrainingClient({ base_model, rank: 16, seed: 1 });
// A renderer turns chats into the tokens that this family of models was trained on, and tokens back into messages.
const renderer = getRenderer(rendererNameFor(base_model), await training.getTokenizer());

/** Asks a model for its answer to each of the names. */
async function greetings(sampler: SamplingClient): Promise<string[]> {
  return Promise.all(
    HELD_OUT.map(async (name) => {
      const { sequences } = await sampler.sample({
        prompt: renderer.buildGenerationPrompt([question(name)]),
        sampling_params: { max_tokens: 40, temperature: 0, stop: renderer.stopSequences },
      });
      return textOf(renderer.parseResponse(sequences[0]?.tokens ?? []).message.content);
    }),
  );
}

const base = await service.createSamplingClient({ base_model });
const before = await greetings(base);

// Only what the assistant says is trained on; the weights of an example sum to 1.
const examples: Datum[] = NAMES.map((name) => datumFromMessages(renderer, chat(name)));
const batchAt = (step: number) =>
  Array.from(
    { length: BATCH_SIZE },
    (_, place) => examples[(step * BATCH_SIZE + place) % examples.length],
  ).filter((example) => example !== undefined);

const losses: number[] = [];
for (let step = 0; step < steps; step += 1) {
  // Both are sent before either is awaited: the step runs right behind the pass.
  const pass = training.forwardBackward(batchAt(step), "cross_entropy");
  const update = training.optimStep({ learning_rate: LEARNING_RATE * (1 - step / steps) });
  const [output] = await Promise.all([pass, update]);
  losses.push((lossOf(output)?.value ?? Number.NaN) / BATCH_SIZE);
  if (step % 5 === 0) console.log(`step ${step + 1}/${steps}  loss ${losses.at(-1)?.toFixed(3)}`);
}

const tuned = await training.saveWeightsAndGetSamplingClient();
const after = await greetings(tuned);
for (const [index, name] of HELD_OUT.entries()) {
  console.log(
    `I am ${name}.  before: ${JSON.stringify(before[index])}  after: ${JSON.stringify(after[index])}`,
  );
}
const right = (answers: readonly string[]) =>
  HELD_OUT.filter((name, index) => answers[index]?.trim() === greeting(name)).length;
console.log(`loss: ${losses[0]?.toFixed(3)} -> ${losses.at(-1)?.toFixed(3)}`);
console.log(`right greetings: ${right(before)} -> ${right(after)} of ${HELD_OUT.length}`);
