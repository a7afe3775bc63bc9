import { describeValue, type Tokenizer, ValidationError } from "@tinkex/base";
import { type Message, type Renderer, textOf } from "@tinkex/renderers";
import { ModelInput, type SampledSequence } from "@tinkex/types";
import type { Prompt, Reply } from "./episode.js";

/** Means to turn prompts into tokens and samples into replies. */
export interface ConversationTools {
  readonly tokenizer: Tokenizer;
  readonly renderer: () => Renderer;
  /** Texts that end the continuation of a string. */
  readonly stop: readonly string[];
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
    if (isText) {
      this.#tokens = [...this.#tokens, ...this.#tools.tokenizer.encode(next, { addSpecialTokens: isFirst })];
      return { prompt: ModelInput.fromInts(this.#tokens), stop: this.#tools.stop };
    }
    this.#messages = [...this.#messages, ...next];
    const renderer = this.#tools.renderer();
    const prompt = renderer.buildGenerationPrompt(this.#messages);
    // Pictures have no ids: such a prompt is sent as it was rendered.
    if (prompt.chunks.some((chunk) => !("tokens" in chunk))) return { prompt, stop: renderer.stopSequences };
    const rendered = ModelInput.toInts(prompt);
    this.#tokens = this.#extended(rendered);
    return { prompt: ModelInput.fromInts(this.#tokens), stop: renderer.stopSequences };
  }

  /** Adds what the model answered. */
  answer(sample: SampledSequence): Reply {
    const { tokens, logprobs = [], stop_reason: stopReason } = sample;
    if (logprobs.length !== tokens.length) {
      throw new ValidationError(
        `a sample must have a logprob for each of its ${tokens.length} tokens, got ${logprobs.length}`,
      );
    }
    this.#tokens = [...this.#tokens, ...tokens];
    const given = { tokens, logprobs, stopReason };
    if (this.#isText === true) {
      const text = this.#tools.tokenizer.decode(tokens, { skipSpecialTokens: true });
      const hasEnded = stopReason === "stop";
      return { ...given, text, message: undefined, termination: hasEnded ? "stop_sequence" : "malformed" };
    }
    const renderer = this.#tools.renderer();
    const { message, termination } = renderer.parseResponse(tokens);
    this.#messages = [...this.#messages, message];
    this.#isCut = termination === "malformed";
    this.#rendered = renderer.hasExtensionProperty
      ? ModelInput.toInts(renderer.buildSupervisedExample(this.#messages).modelInput)
      : [];
    return { ...given, text: textOf(message.content), message, termination };
  }

  /** Tokens of a later prompt: those that were sampled, and behind them what rendering puts behind the answer. */
  #extended(rendered: readonly number[]): number[] {
    const known = this.#rendered;
    const extendsAnswer = known.length > 0 && known.every((token, index) => token === rendered[index]);
    if (!extendsAnswer || this.#isCut) return [...rendered];
    return [...this.#tokens, ...rendered.slice(known.length)];
  }
}
