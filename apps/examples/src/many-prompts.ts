// A thousand prompts at once: the sampling client sends as many as the service takes, and holds the others back. Answers are there in the order of
// the prompts; what fails for a while is tried again by the client.
//
//   node apps/examples/dist/many-prompts.js --steps 1000
import { openExample } from "./recipes/example-service.js";
import { wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(1000);
const { service, model, seed, steps: count, figures } = example;

const sampler = await service.createSamplingClient({ base_model: model });
const tokenizer = await sampler.getTokenizer();
const words = wordsOf("pig-latin-train");
const prompts = Array.from({ length: count }, (_, index) => `${index}. ${words[index % words.length]}:`);

let answered = 0;
let maxInFlight = 0;
const answers = await Promise.all(
  prompts.map(async (text, index) => {
    const sampling_params = { max_tokens: 4, temperature: 1, seed: seed + index };
    const { sequences } = await sampler.sample({ prompt: tokenizer.encode(text), sampling_params });
    answered += 1;
    const { operations } = service.stats();
    maxInFlight = Math.max(maxInFlight, operations);
    if (answered % 250 === 0) console.log(`${answered} of ${count} answered, ${operations} under way`);
    return tokenizer.decode(sequences[0]?.tokens ?? []);
  }),
);
const { operations, queued } = service.stats();
console.log(`first: ${JSON.stringify(`${prompts[0]}${answers[0]}`)}`);
const inPlace = answers.filter((answer) => answer !== undefined).length;
console.log(`answers: ${answers.length}, ${inPlace} in their places`);
console.log(`most under way at one time: ${maxInFlight}`);
console.log(`left: ${operations + queued}`);
figures.atLeast("answers in their places", inPlace, count);
figures.below("calls that are left", operations + queued, 1);
const kl = await samplerAgainstTrainer(service, model, prompts.slice(0, 4));
figures.agreement(kl);
