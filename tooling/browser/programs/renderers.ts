import { getRenderer } from "@tinkex/renderers";
import { createTokenizer } from "@tinkex/tokenizer";

type Renderer = ReturnType<typeof getRenderer>;

export interface Input {
  /** Where `tokenizer.json` of Qwen3 is served. */
  readonly tokenizerUrl: string;
  readonly messages: Parameters<Renderer["buildGenerationPrompt"]>[0];
  /** Tokens that a model wrote. */
  readonly response: readonly number[];
}

export interface Output {
  /** The tokens of each chunk. */
  readonly prompt: readonly (readonly number[])[];
  readonly example: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly reply: ReturnType<Renderer["parseResponse"]>;
}

/** Makes a prompt and a training example of a conversation, and reads a response. */
export async function run({ tokenizerUrl, messages, response }: Input): Promise<Output> {
  const fetched = await fetch(tokenizerUrl);
  const renderer = getRenderer("qwen3", createTokenizer({ tokenizer: await fetched.json() }));
  const { modelInput, weights } = renderer.buildSupervisedExample(messages, {
    trainOn: "all_assistant_messages",
  });
  return {
    prompt: tokensOf(renderer.buildGenerationPrompt(messages)),
    example: tokensOf(modelInput),
    weights: [...weights],
    reply: renderer.parseResponse(response),
  };
}

function tokensOf({ chunks }: ReturnType<Renderer["buildGenerationPrompt"]>): number[][] {
  return chunks.map((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []));
}
