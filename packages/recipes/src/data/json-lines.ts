import { createReadStream } from "node:fs";
import { checkString, errorMessage, ValidationError } from "@tinkex/base";
import type { ToolDeclaration } from "@tinkex/renderers";
import type { Chat, ChatMessage } from "../datum/supervised-datum.js";

/** Bad lines that an error names; the others are counted. */
const MAX_NAMED_LINES = 20;

/**
 * Reads chats from a file of JSON lines, `{"messages": [{"role", "content"}, …]}` each, as OpenAI's fine-tuning takes them, with `weight` of
 * messages and `tools`. The file is read piece by piece. Blank lines and a byte order mark are passed over.
 *
 * @throws ValidationError at the end, once every line was read: it names all bad lines by their numbers
 */
export async function* chatsFromJsonl(path: string): AsyncGenerator<Chat, void, undefined> {
  checkString(path, "chatsFromJsonl: path", "train.jsonl");
  const faults: string[] = [];
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      yield chatOf(JSON.parse(line));
    } catch (error) {
      faults.push(`line ${number}: ${errorMessage(error)}`);
    }
  }
  if (faults.length === 0) return;
  const more = faults.length - MAX_NAMED_LINES;
  const named = faults.slice(0, MAX_NAMED_LINES).join("; ");
  throw new ValidationError(
    `${path} has ${faults.length} bad lines; ${named}${more > 0 ? `; and ${more} more` : ""}`,
  );
}

/** Lines of a file, without their ends, in constant memory. */
async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  let rest = "";
  let isFirst = true;
  for await (const text of chunksOf(path)) {
    const lines = (rest + (isFirst && text.startsWith("\uFEFF") ? text.slice(1) : text)).split("\n");
    isFirst = false;
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

async function* chunksOf(path: string): AsyncGenerator<string, void, undefined> {
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8" })) yield String(chunk);
  } catch (cause) {
    throw new ValidationError(`chatsFromJsonl: path must be a file that can be read; ${errorMessage(cause)}`, { cause });
  }
}

/** Checks a line. @throws ValidationError naming what is missing */
function chatOf(value: unknown): Chat {
  if (!isRecord(value)) throw new ValidationError("must be an object with messages");
  const { messages, tools } = value;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new ValidationError('"messages" must be an array of at least one message');
  }
  return {
    messages: messages.map(messageOf),
    ...(tools !== undefined && { tools: toolsOf(tools) }),
  };
}

function messageOf(message: unknown, index: number): ChatMessage {
  if (!isRecord(message)) throw new ValidationError(`messages[${index}] must be an object`);
  const { role, content, weight } = message;
  if (typeof role !== "string") throw new ValidationError(`messages[${index}].role must be a string`);
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  const isContent = typeof content === "string" || Array.isArray(content);
  // OpenAI writes null where a message of the assistant only calls tools.
  if (!isContent && !(hasCalls && (content === null || content === undefined))) {
    throw new ValidationError(`messages[${index}].content must be a string or an array of parts`);
  }
  if (weight !== undefined && weight !== 0 && weight !== 1) {
    throw new ValidationError(`messages[${index}].weight must be 0 or 1`);
  }
  // Its other fields are checked by the renderer, which knows which of them its family has.
  return (isContent ? message : { ...message, content: "" }) as unknown as ChatMessage;
}

function toolsOf(tools: unknown): ToolDeclaration[] {
  if (!Array.isArray(tools)) throw new ValidationError('"tools" must be an array');
  return tools.map((tool, index) => {
    const declared = isRecord(tool) && isRecord(tool.function) ? tool.function : tool;
    if (!isRecord(declared) || typeof declared.name !== "string") {
      throw new ValidationError(`tools[${index}] must have a function with a name`);
    }
    const { name, description, parameters } = declared;
    return {
      name,
      description: typeof description === "string" ? description : "",
      parameters: isRecord(parameters) ? parameters : { type: "object", properties: {} },
    };
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
