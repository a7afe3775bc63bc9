import type { ModelInput } from "@tinkex/types";
import type { Message, Role, ToolDeclaration } from "../messages/message.js";
import type { OpenAiMessage } from "../messages/open-ai-message.js";
import type { ParsedResponse } from "../replies/reply.js";
import type { ResponseStream, ResponseStreamOptions } from "../replies/response-stream.js";
import type { TrainOn } from "./train-on.js";

/**
 * Turns conversations into the tokens that one family of models was trained on, and sampled tokens back into messages. What tokens
 * spelled out by people become is said by `getRenderer` and its option `literalText`.
 */
export interface Renderer {
  /** Its name, such as `qwen3_disable_thinking`. */
  readonly name: string;
  /** The model it was made for, where that was said. */
  readonly model: string | undefined;
  /** End of a message: ids, or strings. Goes into `stop` of the sampling parameters as it is. */
  readonly stopSequences: readonly number[] | readonly string[];
  /**
   * True where the prompt of every later turn begins with the document of the turns before it. It decides whether a
   * conversation of many turns is one training example.
   */
  readonly hasExtensionProperty: boolean;
  readonly supportsStreaming: boolean;
  /** True where its prompts rule thinking out. */
  readonly disablesThinking: boolean;

  /**
   * The prompt for the next message.
   * @throws ValidationError when the family cannot show one of the messages
   */
  buildGenerationPrompt(messages: readonly Message[], options?: GenerationPromptOptions): ModelInput;

  /**
   * One training document of the whole conversation.
   * @throws ValidationError when the family cannot show one of the messages, or cannot be trained on this conversation
   */
  buildSupervisedExample(messages: readonly Message[], options?: SupervisedExampleOptions): SupervisedExample;

  /**
   * Training documents such that each trained message stands in the context in which it would have been sampled: one where
   * the renderer has the extension property, else one for each message of the assistant that is trained.
   * @throws ValidationError as `buildSupervisedExample` does, and for modes that cannot be split
   */
  buildSupervisedExamples(
    messages: readonly Message[],
    options?: SupervisedExampleOptions,
  ): SupervisedExample[];

  /**
   * Reads the tokens that a model wrote.
   * @throws ValidationError when they hold more than one stop token: it was sampled on after its end
   */
  parseResponse(ids: ArrayLike<number>): ParsedResponse;

  /**
   * Reads tokens as they come in.
   * @throws ValidationError when the renderer does not stream
   */
  parseResponseStreaming(options?: ResponseStreamOptions): ResponseStream;

  /**
   * The messages to put in front of a conversation so that the model knows its tools. They replace the system message.
   * @throws ValidationError when the family has no tools
   */
  declareTools(tools: readonly ToolDeclaration[], systemPrompt?: string): readonly Message[];

  /** A message in the shape that OpenAI's API gives it. */
  toOpenAiMessage(message: Message): OpenAiMessage;

  /**
   * Description of which `rendererFromReference` makes an equal renderer, in another worker or process. Options that do something rather than
   * say something, such as an image processor, are not in it.
   */
  toJSON(): RendererReference;
}

export interface GenerationPromptOptions {
  /** The role that is to write. @defaultValue "assistant" */
  readonly role?: Role | undefined;
  /** Text that the message begins with. The model continues it and does not repeat it. @defaultValue "" */
  readonly prefill?: string | undefined;
}

export interface SupervisedExampleOptions {
  /**
   * @defaultValue "last_assistant_message" for one example, "last_assistant_turn" for several
   */
  readonly trainOn?: TrainOn | undefined;
}

/** The names of {@link GenerationPromptOptions}. */
export const GENERATION_PROMPT_OPTIONS: Readonly<Record<keyof GenerationPromptOptions, true>> = {
  role: true,
  prefill: true,
};

/** The names of {@link SupervisedExampleOptions}. */
export const SUPERVISED_EXAMPLE_OPTIONS: Readonly<Record<keyof SupervisedExampleOptions, true>> = {
  trainOn: true,
};

/** A document to train on. */
export interface SupervisedExample {
  readonly modelInput: ModelInput;
  /** One number per token of the document, not shifted: 1 where the token is trained on, else 0. */
  readonly weights: Float32Array;
}

/** A renderer by name, as JSON. */
export interface RendererReference {
  readonly name: string;
  readonly model?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}
