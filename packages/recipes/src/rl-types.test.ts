import type { ServiceClient } from "@tinkex/client";
import { expectTypeOf, it } from "vitest";
import type { Episode, Reply, rl } from "./index.js";

type Rl = typeof rl;
interface Word {
  readonly word: string;
}

async function* episode({ word }: Word): Episode {
  const reply = yield word;
  return reply.text.length;
}

/** Compiled, never called: the types are what is tested. */
function compiled(run: Rl, service: ServiceClient, problems: readonly Word[]): void {
  const rest = { service, model: "m", problems, maxTokens: 4 };
  run({
    ...rest,
    prompt: (problem) => {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      return problem.word;
    },
    reward: (problem, reply) => {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      expectTypeOf(reply).toEqualTypeOf<Reply>();
      return reply.text === problem.word ? 1 : 0;
    },
  });
  run({
    ...rest,
    episode: async function* (problem): Episode {
      expectTypeOf(problem).toEqualTypeOf<Word>();
      const reply = yield problem.word;
      return reply.text.length;
    },
  });
  const both = { prompt: (problem: Word) => problem.word, reward: () => 1, episode };
  // @ts-expect-error an episode asks for itself: it has no prompt beside it
  run({ ...rest, ...both });
  // @ts-expect-error an answer needs a reward
  run({ ...rest, prompt: (problem: Word) => problem.word });
}

it("the type of a problem reaches prompt, reward and episode, and prompt together with episode does not compile", () => {
  expectTypeOf(compiled).toBeFunction();
});
