import type { SamplingClient, ServiceClient } from "@tinkex/client";
import { expectTypeOf, it } from "vitest";
import type {
  distill,
  Episode,
  EvaluationReport,
  evaluate,
  GeneratedAnswer,
  GenerateResult,
  generate,
  Reply,
  rl,
} from "./index.js";

interface Word {
  readonly word: string;
}

async function* episode({ word }: Word): Episode {
  const reply = yield word;
  return reply.text.length;
}

/** Compiled, never called: the types are what is tested. */
async function compiled(
  run: { evaluate: typeof evaluate; distill: typeof distill; generate: typeof generate; rl: typeof rl },
  service: ServiceClient,
  sampler: SamplingClient,
  problems: readonly Word[],
): Promise<void> {
  const measured = { sampler, problems, maxTokens: 4 };
  const report = await run.evaluate({
    ...measured,
    prompt: (problem) => {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      return problem.word;
    },
    score: (problem, reply) => {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      expectTypeOf(reply).toEqualTypeOf<Reply>();
      return 1;
    },
  });
  expectTypeOf(report).toEqualTypeOf<EvaluationReport<Word>>();
  expectTypeOf(report.problems[0]?.problem).toEqualTypeOf<Word | undefined>();
  run.evaluate({ ...measured, episode: (problem) => episode(problem) });
  run.evaluate({ sampler, test: [{ prompt: "a", completion: "b" }] });
  const score = () => 1;
  const prompt = ({ word }: Word) => word;
  // @ts-expect-error an episode asks for itself: it has no prompt beside it
  run.evaluate({ ...measured, prompt, score, episode });
  // @ts-expect-error an answer needs a score
  run.evaluate({ ...measured, prompt });
  // @ts-expect-error one sampler, or several by name
  run.evaluate({ ...measured, samplers: { a: sampler }, prompt, score });

  const taught = { service, model: "m", teacher: sampler, problems, maxTokens: 4 };
  run.distill({
    ...taught,
    prompt: (problem) => {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      return problem.word;
    },
  });
  // @ts-expect-error an episode asks for itself: it has no prompt beside it
  run.distill({ ...taught, prompt, episode });
  // @ts-expect-error a student needs a teacher
  run.distill({ service, model: "m", problems, maxTokens: 4, prompt });

  const generated = run.generate({ sampler, prompts: ["a"], maxTokens: 4 });
  for await (const answer of generated) expectTypeOf(answer).toEqualTypeOf<GeneratedAnswer>();
  expectTypeOf(await generated).toEqualTypeOf<GenerateResult<GeneratedAnswer>>();

  run.rl({
    ...{ service, model: "m", problems, maxTokens: 4, prompt, reward: () => 1 },
    tools: {
      lookUp: {
        description: "Looks a word up.",
        inputSchema: { type: "object", properties: { word: { type: "string" } } },
        execute: ({ word }, { signal, problem }) => {
          expectTypeOf(word).toEqualTypeOf<unknown>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          expectTypeOf(problem).toEqualTypeOf<unknown>();
          return "meaning";
        },
      },
    },
  });
}

it("the type of a problem reaches prompt, score and episode, and what excludes each other does not compile together", () => {
  expectTypeOf(compiled).toBeFunction();
});
