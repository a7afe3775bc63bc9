import { createReadStream } from "node:fs";
import { checkString, errorMessage, nearestName, ValidationError } from "@tinkex/base";
import type { ToolDeclaration } from "@tinkex/renderers";
import type { Chat, ChatMessage } from "../datum/supervised-datum.js";

/** Bad lines that an error names; the others are counted. */
const MAX_NAMED_LINES = 20;

/** Places of faults of a file, such as `line 3: must be an object`: the first few, and how many there are. */
export class LineFaults {
  readonly #named: string[] = [];
  #count = 0;

  add(line: number, fault: string): void {
    this.#count += 1;
    if (this.#named.length < MAX_NAMED_LINES) this.#named.push(`line ${line}: ${fault}`);
  }

  /** Says what is wrong with a file; undefined where nothing is. */
  describe(path: string): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#named.length;
    const named = this.#named.join("; ");
    return `${path} has ${this.#count} bad ${this.#count === 1 ? "line" : "lines"}; ${named}${more > 0 ? `; and ${more} more` : ""}`;
  }
}

/**
 * Reads chats from a file of JSON lines, `{"messages": [{"role", "content"}, …]}` each, as OpenAI's fine-tuning takes them, with `weight` of
 * messages and `tools`. The file is read piece by piece. Blank lines and a byte order mark are passed over.
 *
 * @throws ValidationError at the end, once every line was read: it names all bad lines by their numbers
 */
export async function* chatsFromJsonl(path: string): AsyncGenerator<Chat, void, undefined> {
  checkString(path, "chatsFromJsonl: path", "train.jsonl");
  const faults = new LineFaults();
  for await (const { chat } of chatLines(path, faults, "chatsFromJsonl: path")) yield chat;
  const fault = faults.describe(path);
  if (fault !== undefined) throw new ValidationError(fault);
}

/** A chat, and the number of its line, from 1. */
export interface ChatLine {
  readonly line: number;
  readonly chat: Chat;
}

/** Reads the good lines of a file, and notes what is wrong with the others. @throws ValidationError when the file cannot be read */
export async function* chatLines(
  path: string,
  faults: LineFaults,
  place: string,
): AsyncGenerator<ChatLine, void, undefined> {
  // Bytes of another encoding would be trained on as signs that nobody wrote.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 0;
  for await (const bytes of linesOf(path, place)) {
    line += 1;
    let chat: Chat;
    try {
      const text = decode(decoder, bytes);
      if (text.trim() === "") continue;
      if (line === 1 && opensArray(text)) {
        // Every other line would be one more fault.
        faults.add(line, "begins a JSON array of several lines; write each chat on a line of its own, without commas");
        return;
      }
      chat = chatOf(JSON.parse(text));
    } catch (error) {
      faults.add(line, errorMessage(error));
      continue;
    }
    yield { line, chat };
  }
}

/** Tells whether a first line is the beginning of one JSON array over several lines. */
function opensArray(text: string): boolean {
  if (!text.trimStart().startsWith("[")) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** @throws ValidationError for bytes that are no UTF-8 */
function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ValidationError("must be UTF-8; save the file in that encoding", { cause });
  }
}

/** Lines of a file, without their ends, in the memory of the longest one. */
async function* linesOf(path: string, place: string): AsyncGenerator<Uint8Array, void, undefined> {
  // A line that is read in pieces is put together once, however many they are.
  let parts: Buffer[] = [];
  let isFirst = true;
  for await (const chunk of chunksOf(path, place)) {
    if (isFirst && isWide(chunk)) {
      throw new ValidationError(`${place} must be a file of UTF-8, and ${path} is of another encoding`);
    }
    isFirst = false;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const LINE_FEED = 10;

/** Tells whether a file begins as one of UTF-16 or UTF-32 does: with such a byte order mark, or with a letter of several bytes. */
function isWide([first, second]: Buffer): boolean {
  return first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

async function* chunksOf(path: string, place: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk;
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new ValidationError(`${place} must be a file that can be read, got ${JSON.stringify(path)} (${reason})`, {
      cause,
    });
  }
}

/** Checks a line. @throws ValidationError naming what is missing */
function chatOf(value: unknown): Chat {
  if (Array.isArray(value)) throw new ValidationError(faultOfArray(value));
  if (!isRecord(value)) throw new ValidationError("must be an object with messages");
  const { messages, tools } = value;
  if (!Array.isArray(messages) || messages.length === 0) {
    const remedy = messages === undefined ? meantInstead(value) : "";
    throw new ValidationError(`"messages" must be an array of at least one message${remedy}`);
  }
  return {
    messages: messages.map(messageOf),
    ...(tools !== undefined && { tools: toolsOf(tools) }),
  };
}

/** Says what to make of a line that is an array: of chats, as a file of plain JSON has them, or of the messages of one. */
function faultOfArray([first]: readonly unknown[]): string {
  return isRecord(first) && "messages" in first
    ? "must be one chat, got an array of chats; write each on a line of its own"
    : 'must be an object with messages, got an array; write {"messages": […]} around it';
}

/** Says what a line without messages has in their place. */
function meantInstead(line: Readonly<Record<string, unknown>>): string {
  const misspelt = Object.keys(line).find((name) => nearestName(name, ["messages"]) !== undefined);
  if (misspelt !== undefined) return `; unknown field "${misspelt}", did you mean "messages"?`;
  if (!("prompt" in line) || !("completion" in line)) return "";
  return "; give prompts with completions to sft, as an array of { prompt, completion }";
}

/** Fields of messages that are read here or by a renderer, or that other APIs write beside them. */
const MESSAGE_FIELDS = [
  "role",
  "content",
  "weight",
  "name",
  "tool_calls",
  "tool_call_id",
  "trainable",
  "function_call",
  "reasoning_content",
  "refusal",
];

/**
 * Refuses a field that is a slip of one that decides what is trained on; any other is the renderer's to judge. A message that has
 * the meant field has the other one besides: `context` beside `content` is a word of its own. A name changes the least, and is near to
 * many words; null is nothing.
 */
function checkSlips(message: Readonly<Record<string, unknown>>, index: number): void {
  const missing = MESSAGE_FIELDS.filter((name) => name !== "name" && message[name] === undefined);
  for (const [name, value] of Object.entries(message)) {
    if (value === null || MESSAGE_FIELDS.includes(name)) continue;
    const meant = nearestName(name, missing);
    if (meant === undefined) continue;
    throw new ValidationError(`messages[${index}]: unknown field "${name}", did you mean "${meant}"?`);
  }
}

function messageOf(message: unknown, index: number): ChatMessage {
  if (!isRecord(message)) throw new ValidationError(`messages[${index}] must be an object`);
  checkSlips(message, index);
  const { role, content, weight } = message;
  if (typeof role !== "string") throw new ValidationError(`messages[${index}].role must be a string`);
  const calls = message.tool_calls ?? [];
  if (!Array.isArray(calls)) throw new ValidationError(`messages[${index}].tool_calls must be an array`);
  for (const [place, call] of calls.entries()) checkCall(call, `messages[${index}].tool_calls[${place}]`);
  const hasCalls = calls.length > 0;
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

/** Checks a call of a tool. Its arguments are text, as OpenAI writes them. */
function checkCall(call: unknown, place: string): void {
  const called = isRecord(call) ? call.function : undefined;
  if (!isRecord(called) || typeof called.name !== "string" || typeof called.arguments !== "string") {
    throw new ValidationError(`${place}.function must have a name, and arguments as a string`);
  }
  try {
    JSON.parse(called.arguments);
  } catch (cause) {
    throw new ValidationError(`${place}.function.arguments must be JSON`, { cause });
  }
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
