import { describeValue, type Tokenizer, ValidationError } from "@tinkex/base";
import { type Message, type Renderer, type ToolDeclaration, textOf } from "@tinkex/renderers";
import { ModelInput, type SampledSequence } from "@tinkex/types";
import { withTools } from "../datum/declared-tools.js";
import type { Prompt, Reply } from "./episode.js";

/** Means to turn prompts into tokens and samples into replies. */
export interface ConversationTools {
  readonly tokenizer: Tokenizer;
  readonly renderer: () => Renderer;
  /** Texts that end the continuation of a string. */
  readonly stop: readonly string[];
  /** Tools that the model is told of, in front of the first messages. */
  readonly declarations?: readonly ToolDeclaration[] | undefined;
}

/** Request of the next turn. */
export interface Turn {
  readonly prompt: ModelInput;
  readonly stop: readonly number[] | readonly string[];
}

/**
 * Record of what was shown and answered so far, in one episode. Sampled ids stay as they are: what is yielded next is put behind them, and text that
 * the model wrote is not encoded again.
 */
export class Conversation {
  readonly #tools: ConversationTools;
  #tokens: number[] = [];
  #messages: Message[] = [];
  #isText: boolean | undefined;
  /** Tokens that rendering the messages so far gives, while the model's own stand in `#tokens`. */
  #rendered: number[] = [];
  #isCut = false;

  constructor(tools: ConversationTools) {
    this.#tools = tools;
  }

  /** Adds what the model sees next. @throws ValidationError for what is no prompt, or of another kind than the first */
  show(next: Prompt): Turn {
    const isText = typeof next === "string";
    if (!isText && !Array.isArray(next)) {
      throw new ValidationError(
        `a prompt must be a string or an array of messages, got ${describeValue(next)}`,
      );
    }
    if (this.#isText !== undefined && this.#isText !== isText) {
      throw new ValidationError("the prompts of an episode must all be strings, or all be messages");
    }
    const isFirst = this.#isText === undefined;
    this.#isText = isText;
    const { declarations = [] } = this.#tools;
    if (isText) {
      if (declarations.length > 0) {
        throw new ValidationError("a model with tools must be asked by messages, got a string to continue");
      }
      this.#tokens = [...this.#tokens, ...this.#tools.tokenizer.encode(next, { addSpecialTokens: isFirst })];
      return { prompt: ModelInput.fromInts(this.#tokens), stop: this.#tools.stop };
    }
    const renderer = this.#tools.renderer();
    const added = isFirst ? withTools(renderer, next, declarations) : next;
    this.#messages = [...this.#messages, ...added];
    const prompt = renderer.buildGenerationPrompt(this.#messages);
    // Pictures have no ids: such a prompt is sent as it was rendered.
    if (prompt.chunks.some((chunk) => !("tokens" in chunk))) return { prompt, stop: renderer.stopSequences };
    const rendered = ModelInput.toInts(prompt);
    this.#tokens = this.#extended(rendered);
    return { prompt: ModelInput.fromInts(this.#tokens), stop: renderer.stopSequences };
  }

  /** Adds what the model answered. */
  answer(sample: SampledSequence): Reply {
    const reply = this.read(sample);
    this.#tokens = [...this.#tokens, ...sample.tokens];
    const { message, termination } = reply;
    if (message === undefined) return reply;
    const renderer = this.#tools.renderer();
    this.#messages = [...this.#messages, renderable(message)];
    this.#isCut = termination === "malformed";
    this.#rendered = renderer.hasExtensionProperty
      ? ModelInput.toInts(renderer.buildSupervisedExample(this.#messages).modelInput)
      : [];
    return reply;
  }

  /** Reads an answer to what was shown, without adding it. @throws ValidationError when its log-probabilities are missing */
  read(sample: SampledSequence): Reply {
    const { tokens, logprobs = [], stop_reason: stopReason } = sample;
    if (logprobs.length !== tokens.length) {
      throw new ValidationError(
        `a sample must have a logprob for each of its ${tokens.length} tokens, got ${logprobs.length}`,
      );
    }
    const given = { tokens, logprobs, stopReason, toolResults: [], limit: undefined };
    if (this.#isText === true) {
      const text = this.#tools.tokenizer.decode(tokens, { skipSpecialTokens: true });
      const termination = stopReason === "stop" ? "stop_sequence" : "malformed";
      return { ...given, text, message: undefined, toolCalls: [], termination };
    }
    const { message, termination } = this.#tools.renderer().parseResponse(tokens);
    const { content, tool_calls: toolCalls = [] } = message;
    return { ...given, text: textOf(content), message, toolCalls, termination };
  }

  /** Tokens of a later prompt: those that were sampled, and behind them what rendering puts behind the answer. */
  #extended(rendered: readonly number[]): number[] {
    const known = this.#rendered;
    const extendsAnswer = known.length > 0 && known.every((token, index) => token === rendered[index]);
    if (!extendsAnswer || this.#isCut) return [...rendered];
    return [...this.#tokens, ...rendered.slice(known.length)];
  }
}

/** The message as it can be rendered again: calls that could not be read are text of it. */
function renderable({ unparsed_tool_calls: unparsed, ...message }: Message): Message {
  if (unparsed === undefined || unparsed.length === 0) return message;
  const texts = unparsed.map(({ raw_text }) => raw_text).join("\n");
  return { ...message, content: `${textOf(message.content)}${texts}` };
}
