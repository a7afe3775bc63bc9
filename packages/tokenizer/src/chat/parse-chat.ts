import { checkArray, checkObject, describeValue, ValidationError } from "@tinkex/base";
import { parseJsonOf } from "../template/values/parse-python-json.js";
import type { ChatTemplateOptions, TemplateMessage } from "./apply-chat-template.js";

/** A conversation read from JSON text, for `applyChatTemplate(tokenizer, messages, { tools })`. */
export interface ParsedChat {
  readonly messages: readonly TemplateMessage[];
  /** Tool declarations; undefined where the text has none, or null. */
  readonly tools: NonNullable<ChatTemplateOptions["tools"]> | undefined;
  /** Fields of the object beside these two. */
  readonly others: Readonly<Record<string, unknown>>;
}

/**
 * Parses a conversation, such as a line of a `.jsonl` file, so that a chat template prints it as Python does: the order of fields that
 * are named by numbers, integers beyond 2^53 and floats such as `1.0` survive, which `JSON.parse` loses. Values have the forms of
 * {@link parsePythonJson}.
 *
 * @param text - a JSON object with `messages` and perhaps `tools`, or an array of messages
 * @throws ValidationError for text that is no JSON, or no conversation
 */
export function parseChat(text: string): ParsedChat {
  const value = parseJsonOf("parseChat", text);
  if (Array.isArray(value)) return { messages: messagesOf(value), tools: undefined, others: {} };
  const { messages, tools, ...others } = fieldsOf(value, "parseChat: text");
  return { messages: messagesOf(messages), tools: toolsOf(tools), others };
}

function messagesOf(messages: unknown): TemplateMessage[] {
  checkArray(messages, "parseChat: messages");
  return messages.map((message, index) => {
    const fields = fieldsOf(message, `parseChat: messages[${index}]`);
    if (isMessage(fields)) return fields;
    throw new ValidationError(
      `parseChat: messages[${index}].role must be a string, got ${describeValue(fields.role)}`,
      { path: ["messages", index, "role"] },
    );
  });
}

function toolsOf(tools: unknown): ParsedChat["tools"] {
  if (tools === undefined || tools === null) return undefined;
  checkArray(tools, "parseChat: tools");
  return tools.map((tool, index) => fieldsOf(tool, `parseChat: tools[${index}]`));
}

function isMessage(fields: Readonly<Record<string, unknown>>): fields is TemplateMessage {
  return typeof fields.role === "string";
}

/** Fields of an object. One that became a Map has a name such as "1", which no message has; a template that prints it whole refuses it. */
function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  checkObject(value, what);
  return Object.fromEntries(value instanceof Map ? value : Object.entries(value));
}
