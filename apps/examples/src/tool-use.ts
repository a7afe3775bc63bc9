// A tool taught, then called: the model learns from chats how a tool is called and its answer passed on, and then calls a real one about words that
// it has never seen. What the tool says cannot be guessed.
//
//   node apps/examples/dist/tool-use.js --seed 1
import { type Chat, evaluate, type Reply, sft, type Tools } from "@tinkex/recipes";
import { getRenderer, type Renderer } from "tinkex";
import { openExample } from "./recipes/example-service.js";
import { wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(110);
const { service, model, seed, steps, figures } = example;

const words = wordsOf("pig-latin-train");
const heldOut = wordsOf("pig-latin-held-out").slice(0, 50);

/** Another word for each, by no rule at all. */
const codeWords = new Map(
  [words, heldOut].flatMap((list) =>
    list.map((word, index) => [word, list[(index + 37) % list.length] ?? ""]),
  ),
);
const question = (word: string) => ({ role: "user", content: `code: ${word}` });

const tools: Tools = {
  code: {
    description: "Gives the code word of a word.",
    inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    execute: ({ word }) => codeWords.get(String(word)) ?? "unknown",
  },
};

/** A chat with a call, what the tool said, and the answer. */
const chatAbout = (word: string): Chat => ({
  messages: [
    question(word),
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { type: "function", id: null, function: { name: "code", arguments: JSON.stringify({ word }) } },
      ],
    },
    { role: "tool", content: codeWords.get(word) ?? "" },
    { role: "assistant", content: codeWords.get(word) ?? "" },
  ],
});

// The layout of Qwen3. The built-in model reads 512 tokens at most, a token a letter, so that it is not told of its tools at length.
const tokenizer = await (await service.createSamplingClient({ base_model: model })).getTokenizer();
const renderer: Renderer = { ...getRenderer("qwen3_instruct", tokenizer), declareTools: () => [] };

/** Share of held-out words whose tool was called exactly once, and rightly, and whose code word was passed on. */
async function called(sampler: string): Promise<number> {
  const score = (word: string, { text, toolResults }: Reply) => {
    const [call, ...more] = toolResults;
    const isCalled = call?.name === "code" && call.output === codeWords.get(word) && more.length === 0;
    return isCalled && text.trim() === codeWords.get(word) ? 1 : 0;
  };
  const { metrics } = await evaluate({
    ...{ service, sampler, renderer, tools, maxTurns: 3, maxTokens: 96, temperature: 0.01 },
    problems: heldOut,
    prompt: (word) => [question(word)],
    score,
  });
  return metrics["test/env/all/reward/total"] ?? 0;
}

figures.agreement(await samplerAgainstTrainer(service, model, words.slice(0, 4)));
const run = sft({
  ...{ service, model, seed, rank: 16, renderer, train: words.map(chatAbout) },
  ...{ batchSize: 6, epochs: 2, maxSteps: steps, learningRate: 3e-3 },
});
for await (const event of run) {
  if (event.type !== "step" || event.step % 10 > 0) continue;
  console.log(`step ${event.step + 1}/${steps}  loss ${event.metrics.train_mean_nll?.toFixed(4)}`);
}
figures.atLeast("called and answered", await called((await run).checkpoint.samplerPath), 0.8);
