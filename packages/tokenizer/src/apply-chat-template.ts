import { type Tokenizer, ValidationError } from "@tinkex/base";
import { createLiteralMarks } from "./literal-marks.js";
import { type CompiledTemplate, compileTemplate } from "./render-template.js";
import { specialTokenPredicate } from "./special-token-predicate.js";
import { isTextTokenizer, type TextTokenizer } from "./text-tokenizer.js";

/** A message as chat templates read it. Which further fields count (`tool_calls`, ...) is up to the template. */
export interface TemplateMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** How to apply a chat template. */
export interface ChatTemplateOptions {
  /** Tool declarations, `{ type: "function", function: { name, description, parameters } }`. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Whether the text ends with the opening of the assistant's answer. @defaultValue false */
  readonly addGenerationPrompt?: boolean;
  /** Whether the text ends within the last message, for the model to go on with it. @defaultValue false */
  readonly continueFinalMessage?: boolean;
  /**
   * A Jinja template, or the name of one of the tokenizer's.
   * @defaultValue `tool_use` when there are tools and a template of that name, else `default`
   */
  readonly template?: string;
  /** Further variables of the template, by the template's own names, e.g. `{ enable_thinking: false }`. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * Which special tokens become ids where messages or tools spell them out; those of the template itself always do.
   * `"all"` is what Python's `apply_chat_template` does.
   * @defaultValue []
   */
  readonly allowedSpecial?: "all" | readonly string[];
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
  const { tools, addGenerationPrompt = false, continueFinalMessage = false, variables = {} } = options;
  if (!isTextTokenizer(tokenizer)) {
    throw new ValidationError(
      "This tokenizer has no chat template: it is not one that createTokenizer made.",
      {
        path: ["tokenizer"],
      },
    );
  }
  if (messages.length === 0)
    throw new ValidationError("A chat template needs at least one message; there is none.");
  if (continueFinalMessage && addGenerationPrompt) {
    throw new ValidationError(
      "Set continueFinalMessage or addGenerationPrompt, not both: they end the text differently.",
    );
  }
  const source = selectTemplate(tokenizer, options.template, tools !== undefined);
  const template = compiled(source);
  const allows = specialTokenPredicate(options.allowedSpecial ?? [], tokenizer.specialTokens);
  const special = [...tokenizer.specialTokens.keys()];
  const marks = createLiteralMarks({
    tokens: special.filter((token) => !allows(token)),
    allowed: special.filter(allows),
    words: template.words,
    values: [messages, tools, source],
  });
  const prepared = marks.mark(messages).map(withoutNulls).map(withReasoning);
  const rendered = template.render({
    ...Object.fromEntries(
      Object.entries(tokenizer.namedTokens).map(([purpose, token]) => [`${purpose}_token`, token]),
    ),
    tools: marks.mark(tools) ?? null,
    documents: null,
    ...variables,
    messages: continueFinalMessage ? markEnd(prepared) : prepared,
    add_generation_prompt: addGenerationPrompt,
  });
  const { text, literalOffsets } = marks.unmark(continueFinalMessage ? cutAtEnd(rendered) : rendered);
  return { text, ids: tokenizer.encode(text, { allowedSpecial: "all", literalOffsets }) };
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
      ? `This tokenizer has no default chat template${known === "" ? "" : ` (it has ${known})`}. Pass one as options.template.`
      : `This tokenizer has no chat template ${JSON.stringify(wanted)}; it has ${known === "" ? "none" : known}.`,
    { path: ["template"] },
  );
}

function withoutNulls(message: TemplateMessage): TemplateMessage {
  const fields = Object.entries(message).filter(([, value]) => value !== null && value !== undefined);
  return { role: message.role, ...Object.fromEntries(fields) };
}

/** Reasoning has had several names; templates read the first two. */
function withReasoning(message: TemplateMessage): TemplateMessage {
  const reasoning = message.reasoning_content ?? message.thinking ?? message.reasoning;
  return reasoning === undefined
    ? message
    : { thinking: reasoning, ...message, reasoning_content: reasoning };
}

/** Stands at the end of the message to be continued while the template runs; the space shows whether it trims. */
const END = "\uFFFE[end of the message to continue]\uFFFE ";

function markEnd(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const last = messages.at(-1);
  if (typeof last?.content !== "string") {
    throw new ValidationError("continueFinalMessage needs a last message whose content is a string.", {
      path: ["messages", messages.length - 1, "content"],
    });
  }
  return [...messages.slice(0, -1), { ...last, content: last.content + END }];
}

function cutAtEnd(rendered: string): string {
  const at = rendered.lastIndexOf(END.trimEnd());
  if (at === -1) {
    throw new ValidationError(
      "continueFinalMessage: the chat template leaves out the end of the last message, so it cannot be continued.",
    );
  }
  const text = rendered.slice(0, at);
  return rendered.startsWith(END, at) ? text : text.trimEnd();
}

const templates = new Map<string, CompiledTemplate>();
const MOST_TEMPLATES = 32;

/** Compiled templates are kept, as conversations come by the thousand; the oldest gives way. */
function compiled(source: string): CompiledTemplate {
  let template = templates.get(source);
  if (template === undefined) {
    template = compileTemplate(source);
    const oldest = templates.keys().next();
    if (templates.size >= MOST_TEMPLATES && oldest.done === false) templates.delete(oldest.value);
    templates.set(source, template);
  }
  return template;
}
