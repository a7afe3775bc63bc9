import { checkArray, describeValue, ValidationError } from "@tinkex/base";
import { readJson } from "../text/json-value.js";
import { strip } from "../text/strip-text.js";
import type { Message, ToolCall } from "./message.js";

const isText = (value: unknown): boolean => typeof value === "string";

/** Checks of what a part of each type holds, in a field named as the type is. */
const PART_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  thinking: isText,
  image: (value) => isText(value) || value instanceof Uint8Array,
};

/**
 * Refuses what is no conversation, for callers whom no compiler stops.
 *
 * @returns the messages, with an empty content where a message that calls tools has null or none
 * @throws ValidationError naming the message
 */
export function checkMessages(messages: readonly Message[]): readonly Message[] {
  if (!Array.isArray(messages)) {
    throw new ValidationError('messages must be an array, such as [{ role: "user", content: "Hi" }]', {
      path: ["messages"],
    });
  }
  for (const [index, message] of messages.entries()) {
    if (typeof message !== "object" || message === null || typeof message.role !== "string") {
      throw refusal(index, "is no message", 'write { role: "user", content: "Hi" }');
    }
    checkFields(message, index);
    const calls: unknown = message.tool_calls ?? [];
    const hasCalls = Array.isArray(calls) && calls.length > 0;
    // Messages of OpenAI's API that call tools have null here, or nothing.
    const content: unknown = message.content ?? undefined;
    if (content !== undefined || !hasCalls) checkContent(content, index);
    if (!Array.isArray(calls)) {
      throw refusal(index, "has tool_calls that are no list", "put each call into one list, or leave it out");
    }
    for (const call of message.tool_calls ?? []) checkCall(call, index);
    const unparsed: unknown = message.unparsed_tool_calls ?? [];
    if (!Array.isArray(unparsed) || unparsed.length > 0) {
      throw refusal(
        index,
        "has unparsed_tool_calls, which no model reads",
        "put their raw_text into the content, or leave the message out",
      );
    }
  }
  return messages.some(({ content }) => (content ?? undefined) === undefined)
    ? messages.map((message) => ({ ...message, content: message.content ?? "" }))
    : messages;
}

const AS_TRAINABLE =
  'say which messages are trained on with trainOn, or with "customized" and trainable on each of them';
const AS_THINKING = 'put it into the content as a part { type: "thinking", thinking }';

/** Fields of other APIs that say something which would be lost here, and the remedy. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  weight: AS_TRAINABLE,
  train: AS_TRAINABLE,
  training: AS_TRAINABLE,
  loss: AS_TRAINABLE,
  loss_weight: AS_TRAINABLE,
  reasoning_content: AS_THINKING,
  reasoning: AS_THINKING,
  reasoning_details: AS_THINKING,
  thinking: AS_THINKING,
  thinking_blocks: AS_THINKING,
  function_call: "put it into tool_calls",
  refusal: "put it into the content",
  audio: "leave it out: no renderer has a form for sound",
  prefix: "give the text that an answer begins with as prefill",
};

function checkFields(message: object, index: number): void {
  for (const [field, value] of Object.entries(message)) {
    if (saysNothing(field, value) || !Object.hasOwn(FOREIGN_FIELDS, field)) continue;
    throw refusal(index, `has the field ${field}, which renderers do not read`, FOREIGN_FIELDS[field] ?? "");
  }
}

/** Tells whether a field is only there because its API writes all of them: servers give empty thinking with every answer. */
function saysNothing(field: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (value ?? "") === "" || (field === "prefix" && value === false);
}

/** An error about one message: what is wrong, and the remedy. */
export function refusal(index: number, fault: string, remedy: string): ValidationError {
  return new ValidationError(`messages[${index}] ${fault}; ${remedy}`, { path: ["messages", index] });
}

function checkCall(call: Partial<ToolCall>, index: number): void {
  const { name, arguments: args } = call?.function ?? {};
  if (typeof name !== "string" || typeof args !== "string") {
    throw refusal(
      index,
      "has a call of a tool that is none",
      'write { type: "function", id: null, function: { name: "add", arguments: "{}" } }',
    );
  }
  if (strip(args) !== "" && readJson(args) === undefined) {
    throw refusal(
      index,
      `calls ${name} with arguments that are not JSON`,
      'arguments are JSON text, such as "{\\"a\\": 1}"',
    );
  }
}

function checkContent(content: unknown, index: number): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    throw refusal(index, "has no content", 'content is text ("" where there is none) or a list of parts');
  }
  for (const part of content as unknown[]) {
    const fault = partFault(part);
    if (fault !== undefined) throw refusal(index, `has ${fault}`, PARTS);
  }
}

const PARTS = 'parts are { type: "text", text }, { type: "thinking", thinking } and { type: "image", image }';

/** Checks the parts of a content that stands alone. @throws ValidationError for what is no list of parts */
export function checkParts(content: unknown): void {
  checkArray(content, "content");
  for (const [index, part] of content.entries()) {
    const fault = partFault(part);
    if (fault !== undefined)
      throw new ValidationError(`content[${index}] is ${fault}; ${PARTS}`, { path: ["content", index] });
  }
}

function partFault(part: unknown): string | undefined {
  const fields = new Map<string, unknown>(
    typeof part === "object" && part !== null ? Object.entries(part) : [],
  );
  const type = fields.get("type");
  const holds = typeof type === "string" && Object.hasOwn(PART_FIELDS, type) ? PART_FIELDS[type] : undefined;
  if (holds?.(fields.get(String(type))) === true) return undefined;
  return `a part that is none (${describeValue(type)})`;
}
