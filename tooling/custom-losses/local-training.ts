import { type DatumLike, ServiceClient, type TrainingClient } from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll } from "vitest";

const BASE_MODEL = "tinkex/pocket-1";

/** Starts a local server for the tests of a file; models made on it all begin alike. */
export function useLocalTraining(): { readonly newModel: () => Promise<TrainingClient> } {
  let server: LocalServer;
  let service: ServiceClient;
  beforeAll(async () => {
    server = await startLocalServer({ seed: 1 });
    service = new ServiceClient({ baseUrl: server.url, env: {} });
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });
  return {
    newModel: async () => service.createLoraTrainingClient({ base_model: BASE_MODEL, rank: 8, seed: 3 }),
  };
}

/** What the built-in model reads of a text: its bytes. */
export function tokensOf(text: string): number[] {
  return [...Buffer.from(text, "ascii")];
}

/** The datum of a text of which only `answer` has a weight. */
export function answerDatum(prompt: string, answer: string): DatumLike {
  const tokens = tokensOf(prompt + answer);
  return {
    model_input: tokens.slice(0, -1),
    loss_fn_inputs: {
      target_tokens: tokens.slice(1),
      weights: tokens.slice(1).map((_, index) => (index + 1 < prompt.length ? 0 : 1)),
    },
  };
}

/** Log-probabilities of each datum's targets under the model as it is. */
export async function logprobsOf(training: TrainingClient, data: readonly DatumLike[]): Promise<number[][]> {
  const { loss_fn_outputs: outputs } = await training.forward(data, "cross_entropy");
  return outputs.map(({ logprobs }) => Array.from(logprobs?.data ?? [], Number));
}
