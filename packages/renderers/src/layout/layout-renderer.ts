import {
  checkArray,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  describeValue,
  type Logger,
  ValidationError,
} from "@tinkex/base";
import type { ModelInput, ModelInputChunk } from "@tinkex/types";
import { checkMessages, refusal } from "../messages/check-messages.js";
import { checkTool } from "../messages/check-tool.js";
import type { Message } from "../messages/message.js";
import { toOpenAiMessage } from "../messages/open-ai-message.js";
import { joinChunks } from "../pieces/join-chunks.js";
import { literalEncoder } from "../pieces/literal-encoder.js";
import { type PieceEncoder, pieceEncoder, specialTokenId } from "../pieces/piece.js";
import { checkTokenizer, type RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import { given } from "../pieces/text-run.js";
import {
  GENERATION_PROMPT_OPTIONS,
  type GenerationPromptOptions,
  type Renderer,
  type RendererReference,
  SUPERVISED_EXAMPLE_OPTIONS,
  type SupervisedExample,
} from "../renderer/renderer.js";
import { type TrainOn, trainOnRules } from "../renderer/train-on.js";
import { chunkLength, weightRuns } from "../renderer/weight-runs.js";
import { parseReply } from "../replies/parse-reply.js";
import { streamReply } from "../replies/stream-reply.js";
import { checkRole, literalMessages, plainMessages, recogniseInstructions } from "./given-messages.js";
import type { Layout, Place, RenderedMessage } from "./layout.js";
import { placeMessages } from "./place-messages.js";
import { splitConversation } from "./split-conversation.js";

export interface LayoutRendererOptions {
  /** Is warned once of training on turns as they are not produced. @defaultValue nobody is */
  readonly logger?: Pick<Logger, "warn"> | undefined;
  /**
   * Keeps all that the renderer is given as text: contents, roles, names, ids, arguments, results, descriptions of tools and a
   * prefill never become a token of the layout, whatever they spell out (see {@link Renderer}). Needs a tokenizer with `addedTokens`.
   * @defaultValue what `reference.options.literalText` says, and false without it
   */
  readonly literalText?: boolean | undefined;
}

const OPTIONS: Readonly<Record<keyof LayoutRendererOptions, true>> = { logger: true, literalText: true };

/**
 * Makes a renderer of a layout.
 *
 * @param reference - the description of the renderer; `toJSON` gives it back
 * @throws ValidationError when the tokenizer lacks the layout's stop tokens, or, with `literalText`, does not tell its added tokens
 */
export function createLayoutRenderer(
  layout: Layout,
  tokenizer: RendererTokenizer,
  reference: RendererReference,
  options: LayoutRendererOptions = {},
): Renderer {
  checkObject(layout, "createLayoutRenderer: layout");
  checkObject(layout.reply, "createLayoutRenderer: layout.reply", '{ stop: { tokens: ["<|im_end|>"] } }');
  checkObject(layout.reply.stop, "createLayoutRenderer: layout.reply.stop", '{ tokens: ["<|im_end|>"] }');
  checkTokenizer(tokenizer);
  checkObject(reference, "createLayoutRenderer: reference", '{ name: "Acme/chat" }');
  checkKnownNames(options, OPTIONS, "the options of createLayoutRenderer");
  checkLogger(options.logger, "createLayoutRenderer: logger", ["warn"]);
  const { logger, literalText = reference.options?.literalText === true } = options;
  const { reply } = layout;
  const encodeRuns = literalText ? literalEncoder(tokenizer) : undefined;
  const takeText = literalText ? literalMessages : plainMessages;
  let hasWarned = false;
  const stopSequences =
    "tokens" in reply.stop
      ? reply.stop.tokens.map((token) => specialTokenId(tokenizer, token))
      : reply.stop.text;
  const joined = (chunks: readonly ModelInputChunk[]) =>
    layout.joinsChunks === true ? joinChunks(chunks) : chunks;
  const arrange = (conversation: readonly Message[]) => {
    const messages = checkMessages(conversation);
    for (const [index, message] of messages.entries()) layout.checkMessage?.(message, index);
    const taken = takeText(messages);
    return layout.arrange?.(taken) ?? taken;
  };
  const render = (place: Place): RenderedMessage => {
    const rendered = layout.render({ ...place, literalText });
    if (!literalText || place.message.role !== "system" || layout.instructions === undefined) return rendered;
    return { ...rendered, output: recogniseInstructions(rendered.output, layout.instructions) };
  };
  const buildPrompt = (
    messages: readonly Message[],
    encode: PieceEncoder,
    options: GenerationPromptOptions = {},
  ): ModelInput => {
    checkKnownNames(options, GENERATION_PROMPT_OPTIONS, "the options of buildGenerationPrompt");
    const { role = "assistant", prefill = "" } = options;
    checkString(role, "role", "assistant");
    checkString(prefill, "prefill");
    const arranged = arrange(messages);
    if (!literalText) checkRole(role, ["role"]);
    const rendered = placeMessages(arranged, layout.turnBorder, true).map(render);
    const chunks = encode([
      ...layout.prelude(arranged),
      ...rendered.flatMap(({ header, output }) => [...header, ...output]),
      ...layout.opening(role, arranged),
      { text: [layout.prefill?.(role, arranged) ?? "", given(prefill)] },
    ]);
    return { chunks: joined(chunks) };
  };

  function buildSupervisedExample(
    messages: readonly Message[],
    options: { readonly trainOn?: TrainOn | undefined } = {},
  ): SupervisedExample {
    checkKnownNames(options, SUPERVISED_EXAMPLE_OPTIONS, "the options of buildSupervisedExample");
    const { trainOn = "last_assistant_message" } = options;
    const rule = trainOnRule(trainOn);
    if (trainOn === "all_assistant_messages" && !layout.hasExtensionProperty && !hasWarned) {
      hasWarned = true;
      logger?.warn(
        `${reference.name} writes earlier turns otherwise than the model produced them, and "all_assistant_messages" trains on them as they are written: buildSupervisedExamples makes an example of each turn instead.`,
      );
    }
    const encode = pieceEncoder(tokenizer, encodeRuns);
    const arranged = arrange(messages);
    const places = placeMessages(arranged, layout.turnBorder);
    checkTrainableFlags(messages, arranged, trainOn);
    const runs = weightRuns();
    runs.add(encode(layout.prelude(arranged)), 0);
    for (const place of places) {
      const { header, output, stopOverlap = [] } = render(place);
      const weight = rule.trains(place.message, place) ? 1 : 0;
      runs.add(encode(header), rule.hasHeaders ? 1 : 0);
      runs.add(encode(output), weight);
      if (place.isLast) runs.add(encode(stopOverlap), weight);
    }
    const { modelInput, weights } = runs.example();
    const example = { modelInput: { chunks: joined(modelInput.chunks) }, weights };
    const first = promptLength(messages, trainOn);
    // The reference leaves documents with pictures as they are: pictures are made anew for the prompt, and cannot be compared.
    if (first !== undefined && example.modelInput.chunks.every((chunk) => "tokens" in chunk)) {
      // The prompt is the head of the document, so that most of it is encoded already.
      unweightPrompt(example, buildPrompt(messages.slice(0, first), encode), layout, first);
    }
    return example;
  }

  return {
    name: reference.name,
    model: reference.model,
    stopSequences,
    hasExtensionProperty: layout.hasExtensionProperty,
    supportsStreaming: reply.streaming !== undefined,
    disablesThinking: layout.disablesThinking ?? false,
    buildGenerationPrompt: (messages, options) =>
      buildPrompt(messages, pieceEncoder(tokenizer, encodeRuns), options),
    buildSupervisedExample,
    buildSupervisedExamples(messages, options = {}) {
      checkKnownNames(options, SUPERVISED_EXAMPLE_OPTIONS, "the options of buildSupervisedExamples");
      const { trainOn = "last_assistant_turn" } = options;
      return splitConversation(messages, trainOn, layout).map((part) =>
        buildSupervisedExample(part.messages, { trainOn: part.trainOn }),
      );
    },
    parseResponse: (ids) => parseReply(reply, ids, tokenizer),
    parseResponseStreaming: (options) => streamReply(reply, tokenizer, reference.name, options),
    declareTools(tools, systemPrompt = "") {
      checkArray(tools, "declareTools: tools");
      for (const [index, tool] of tools.entries()) checkTool(tool, `declareTools: tools[${index}]`);
      checkString(systemPrompt, "declareTools: systemPrompt");
      if (tools.length === 0) return systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
      if (layout.declareTools !== undefined) return layout.declareTools(tools, systemPrompt);
      throw new ValidationError(
        `${reference.name} has no place for tools; describe them in the system message yourself, or take a model that knows tools`,
        { path: ["tools"] },
      );
    },
    toOpenAiMessage,
    toJSON: () => reference,
  };
}

function trainOnRule(trainOn: TrainOn) {
  if (typeof trainOn === "string" && Object.hasOwn(trainOnRules, trainOn)) return trainOnRules[trainOn];
  throw new ValidationError(
    `trainOn must be one of ${Object.keys(trainOnRules).join(", ")}, got ${describeValue(trainOn)}`,
    { path: ["trainOn"] },
  );
}

/** The flags are read in one mode only, where a missing one would be a guess; in the others they would go unheard. */
function checkTrainableFlags(
  messages: readonly Message[],
  arranged: readonly Message[],
  trainOn: TrainOn,
): void {
  for (const [index, { trainable }] of messages.entries()) {
    if (trainOn === "customized" && typeof trainable !== "boolean") {
      throw refusal(
        index,
        "does not say whether it is trainable",
        'the mode "customized" wants the flag on every message',
      );
    }
    if (trainOn !== "customized" && trainable !== undefined) {
      throw refusal(
        index,
        `says whether it is trainable, which "${trainOn}" does not ask`,
        'take the flag out, or train on "customized"',
      );
    }
  }
  if (trainOn === "customized" && arranged.some(({ trainable }) => trainable === undefined)) {
    throw new ValidationError(
      'this renderer puts a message of its own into the conversation, which has no flag, so that the mode "customized" cannot be used with it; take a variant without one',
      { path: ["trainOn"] },
    );
  }
}

/**
 * Counts the messages that stood in the prompt of what the mode trains on, in the modes whose messages are trained on as sampled. What that
 * prompt held of the document is not trained on.
 */
function promptLength(messages: readonly Message[], trainOn: TrainOn): number | undefined {
  if (messages.at(-1)?.role !== "assistant") return undefined;
  if (trainOn === "last_assistant_message") return messages.length - 1;
  if (trainOn !== "last_assistant_turn") return undefined;
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return lastUser === -1 ? undefined : lastUser + 1;
}

/** Sets the weights of the tokens that the prompt holds to 0, where the document begins with it. */
function unweightPrompt(
  { modelInput, weights }: SupervisedExample,
  prompt: ModelInput,
  layout: Layout,
  index: number,
): void {
  if (beginsWith(modelInput.chunks, prompt.chunks)) {
    weights.fill(
      0,
      0,
      prompt.chunks.reduce((sum, chunk) => sum + chunkLength(chunk), 0),
    );
    return;
  }
  if (layout.disablesThinking === true) {
    throw refusal(
      index,
      "holds reasoning that the prompt of this renderer rules out",
      "take the thinking out of the message, or train with a renderer that thinks",
    );
  }
}

function beginsWith(document: readonly ModelInputChunk[], head: readonly ModelInputChunk[]): boolean {
  const tokens = tokensOf(document);
  return tokensOf(head).every((token, index) => token === tokens[index]);
}

function tokensOf(chunks: readonly ModelInputChunk[]): number[] {
  return chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []));
}
