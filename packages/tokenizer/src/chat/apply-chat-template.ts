import { checkArray, checkObject, type Tokenizer, ValidationError } from "@tinkex/base";
import { type CompiledTemplate, compileTemplate } from "../template/compile-template.js";
import { stripRange } from "../template/values/python-text.js";
import { plain, sliceText, type TextValue } from "../template/values/text.js";
import { specialTokenPredicate } from "../tokenizer/special-token-predicate.js";
import { isTextTokenizer, type TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { createLiteralCharacters } from "./literal-characters.js";

/** A message as chat templates read it. Which further fields count (`tool_calls`, ...) is up to the template. */
export interface TemplateMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** Options with which a chat template is applied. */
export interface ChatTemplateOptions {
  /** Tool declarations, `{ type: "function", function: { name, description, parameters } }`. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Ends the text with the opening of the assistant's answer. @defaultValue false */
  readonly addGenerationPrompt?: boolean;
  /** Ends the text within the last message, for the model to go on with it. @defaultValue false */
  readonly continueFinalMessage?: boolean;
  /**
   * A Jinja template, or the name of one of the tokenizer's.
   * @defaultValue `tool_use` when there are tools and a template of that name, else `default`
   */
  readonly template?: string;
  /** Further variables of the template, by the template's own names, e.g. `{ enable_thinking: false }`. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * Special tokens that become ids where messages or tools spell them out; those of the template itself always do.
   * `"all"` is what Python's `apply_chat_template` does.
   * @defaultValue []
   */
  readonly allowedSpecial?: "all" | readonly string[];
  /**
   * Keeps added tokens that are not special (`<think>` of Qwen3, `<｜User｜>` of DeepSeek-V3) text, too, where messages or tools
   * spell them out; those of the template itself never do.
   * @defaultValue false
   */
  readonly literalAdded?: boolean;
}

/** A conversation as text and as ids. */
export interface RenderedChat {
  readonly text: string;
  readonly ids: number[];
}

/**
 * Renders a conversation through the model's own chat template, as `apply_chat_template` of Python's transformers 5
 * does: fields of a message that are null count as absent, reasoning is found under each of its usual names.
 *
 * @throws ValidationError when there is no message or no template, or the template refuses the conversation.
 */
export function applyChatTemplate(
  tokenizer: Tokenizer | TextTokenizer,
  messages: readonly TemplateMessage[],
  options: ChatTemplateOptions = {},
): RenderedChat {
  checkObject(options, "the options of applyChatTemplate");
  const { tools, addGenerationPrompt = false, continueFinalMessage = false, variables = {} } = options;
  if (!isTextTokenizer(tokenizer)) {
    throw new ValidationError(
      "applyChatTemplate: the tokenizer must be one that createTokenizer made; another has no chat template",
      {
        path: ["tokenizer"],
      },
    );
  }
  checkArray(messages, "applyChatTemplate: messages");
  for (const [index, message] of messages.entries()) {
    checkObject(message, `messages[${index}]`, '{ role: "user", content: "Hi" }');
  }
  if (tools !== undefined && tools !== null) checkArray(tools, "applyChatTemplate: tools");
  checkObject(variables, "applyChatTemplate: variables");
  if (messages.length === 0) throw new ValidationError("messages must hold at least one message, got none");
  if (continueFinalMessage && addGenerationPrompt) {
    throw new ValidationError(
      "continueFinalMessage and addGenerationPrompt must not both be set; they end the text differently",
    );
  }
  const source = selectTemplate(tokenizer, options.template, tools !== undefined);
  const template = compiled(source);
  const allows = specialTokenPredicate(options.allowedSpecial ?? [], tokenizer.specialTokens);
  const special = [...tokenizer.specialTokens.keys()];
  const { literalAdded = false } = options;
  const added = literalAdded ? [...tokenizer.addedTokens.keys()] : special;
  const literal = createLiteralCharacters({
    tokens: added.filter((token) => !tokenizer.specialTokens.has(token) || !allows(token)),
    allowed: special.filter(allows),
  });
  const prepared = messages.map(withoutNulls).map(withReasoning);
  const rendered = template.render(
    {
      own: {
        ...Object.fromEntries(
          Object.entries(tokenizer.namedTokens).map(([purpose, token]) => [`${purpose}_token`, token]),
        ),
        documents: null,
        ...variables,
        add_generation_prompt: addGenerationPrompt,
      },
      peoples: {
        ...("tools" in variables && tools === undefined ? {} : { tools: tools ?? null }),
        messages: continueFinalMessage ? markEnd(prepared) : prepared,
      },
    },
    literal.strings,
  );
  const result = continueFinalMessage ? cutAtEnd(rendered) : rendered;
  const text = plain(result);
  const literalOffsets = literal.offsets(result);
  return { text, ids: tokenizer.encode(text, { allowedSpecial: "all", literalOffsets, literalAdded }) };
}

function selectTemplate(tokenizer: TextTokenizer, wanted: string | undefined, hasTools: boolean): string {
  const templates = tokenizer.chatTemplates;
  const chosen =
    wanted === undefined
      ? ((hasTools ? templates.get("tool_use") : undefined) ?? templates.get("default"))
      : (templates.get(wanted) ?? (/\{[{%]/.test(wanted) ? wanted : undefined));
  if (chosen !== undefined) return chosen;
  const known = [...templates.keys()].map((name) => JSON.stringify(name)).join(", ");
  throw new ValidationError(
    wanted === undefined
      ? `applyChatTemplate: this tokenizer has no default chat template${known === "" ? "" : ` (it has ${known})`}; pass one as options.template`
      : `applyChatTemplate: this tokenizer has no chat template ${JSON.stringify(wanted)}; it has ${known === "" ? "none" : known}`,
    { path: ["template"] },
  );
}

/** The fields of a message, by name. */
type Fields = Readonly<Record<string, unknown>> | Map<string, unknown>;

function withoutNulls(message: TemplateMessage, index: number): Fields {
  if (typeof message !== "object" || message === null) {
    throw new ValidationError(`messages[${index}] must be an object with a role, got ${String(message)}`, {
      path: ["messages", index],
    });
  }
  return withEntries(message, (entries) =>
    entries.filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Reasoning has had several names; templates read the first two. */
function withReasoning(message: Fields): Fields {
  const reasoning = ["reasoning_content", "thinking", "reasoning"]
    .map((name) => field(message, name))
    .find((value) => value !== undefined);
  if (reasoning === undefined) return message;
  return withEntries(message, (entries) => [
    ["thinking", reasoning],
    ...entries,
    ["reasoning_content", reasoning],
  ]);
}

function field(message: Fields, name: string): unknown {
  if (message instanceof Map) return message.get(name);
  return Object.hasOwn(message, name) ? message[name] : undefined;
}

/** Makes a message of other entries; of two with one name the first gives the place and the last the value. A Map stays one. */
function withEntries(message: Fields, change: (entries: [string, unknown][]) => [string, unknown][]): Fields {
  return message instanceof Map
    ? new Map(change([...message]))
    : Object.fromEntries(change(Object.entries(message)));
}

/** Stands at the end of the message to be continued while the template runs, as in transformers; the space shows whether it trims. */
const END = "CONTINUE_FINAL_MESSAGE_TAG ";

function markEnd(messages: readonly Fields[]): Fields[] {
  const last = messages.at(-1);
  const content = last === undefined ? undefined : field(last, "content");
  if (last === undefined || typeof content !== "string") {
    throw new ValidationError("continueFinalMessage needs a last message whose content is a string", {
      path: ["messages", messages.length - 1, "content"],
    });
  }
  return [...messages.slice(0, -1), withEntries(last, (entries) => [...entries, ["content", content + END]])];
}

function cutAtEnd(rendered: TextValue): TextValue {
  const value = plain(rendered);
  const at = value.lastIndexOf(END.trimEnd());
  if (at === -1) {
    throw new ValidationError(
      "continueFinalMessage: the chat template leaves out the end of the last message, so it cannot be continued",
    );
  }
  if (value.startsWith(END, at)) return sliceText(rendered, 0, at);
  return sliceText(rendered, 0, stripRange(value.slice(0, at), { hasLeft: false, hasRight: true }).end);
}

const templates = new Map<string, CompiledTemplate>();
const MAX_TEMPLATES = 32;
/** A longer template is compiled each time: kept, it takes many times its length. */
const MAX_KEPT_LENGTH = 128 * 1024;

/** Compiled templates are kept, as conversations come by the thousand; the oldest gives way. */
function compiled(source: string): CompiledTemplate {
  let template = templates.get(source);
  if (template === undefined) {
    template = compileTemplate(source);
    if (source.length > MAX_KEPT_LENGTH) return template;
    const oldest = templates.keys().next();
    if (templates.size >= MAX_TEMPLATES && oldest.done === false) templates.delete(oldest.value);
    templates.set(source, template);
  }
  return template;
}
