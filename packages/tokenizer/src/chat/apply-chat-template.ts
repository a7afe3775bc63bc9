import { checkArray, checkKnownNames, checkObject, type Tokenizer, ValidationError } from "@tinkex/base";
import { type CompiledTemplate, compileTemplate } from "../template/compile-template.js";
import { plain } from "../template/values/text.js";
import { specialTokenPredicate } from "../tokenizer/special-token-predicate.js";
import { isTextTokenizer, type TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { cutAtEnd, markEnd } from "./continue-final-message.js";
import { createLiteralCharacters } from "./literal-characters.js";
import { withoutNulls, withReasoning } from "./message-fields.js";

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
  /** Ends the text within the last message, behind the last text of its content, for the model to go on with it. @defaultValue false */
  readonly continueFinalMessage?: boolean;
  /**
   * A Jinja template, or the name of one of the tokenizer's.
   * @defaultValue `tool_use` when there are tools and a template of that name, else `default`
   */
  readonly template?: string;
  /**
   * Further variables of the template, by the template's own names, e.g. `{ enable_thinking: false }`. `documents` is an array of
   * objects with a title and a text.
   */
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

const OPTIONS: Readonly<Record<keyof ChatTemplateOptions, true>> = {
  tools: true,
  addGenerationPrompt: true,
  continueFinalMessage: true,
  template: true,
  variables: true,
  allowedSpecial: true,
  literalAdded: true,
};

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
  checkKnownNames(options, OPTIONS, "the options of applyChatTemplate");
  const { addGenerationPrompt = false, continueFinalMessage = false, variables = {} } = options;
  // Null is none, as JSON has it.
  const tools = options.tools ?? undefined;
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
  checkObject(variables, "applyChatTemplate: variables");
  checkObjects(tools, "tools", '{ type: "function", function: { name: "now" } }');
  checkObjects(variables.documents, "variables.documents", '{ title: "A", text: "b" }');
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
  const continued = continueFinalMessage ? markEnd(prepared) : undefined;
  const rendered = template.render(
    {
      own: {
        ...Object.fromEntries(
          Object.entries(tokenizer.namedTokens).map(([purpose, token]) => [`${purpose}_token`, token]),
        ),
        ...variables,
        documents: variables.documents ?? null,
        add_generation_prompt: addGenerationPrompt,
      },
      peoples: {
        ...("tools" in variables && tools === undefined ? {} : { tools: tools ?? null }),
        messages: continued?.messages ?? prepared,
      },
    },
    literal.strings,
  );
  const result = continued === undefined ? rendered : cutAtEnd(rendered, continued.lastText);
  const text = plain(result);
  const literalOffsets = literal.offsets(result);
  return { text, ids: tokenizer.encode(text, { allowedSpecial: "all", literalOffsets, literalAdded }) };
}

/** Checks a list of objects that may be left out, as tools and documents may. */
function checkObjects(list: unknown, what: string, example: string): void {
  if (list === undefined || list === null) return;
  checkArray(list, `applyChatTemplate: ${what}`);
  for (const [index, item] of list.entries()) checkObject(item, `${what}[${index}]`, example);
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
