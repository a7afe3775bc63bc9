import { refusal } from "./check-messages.js";
import { type JsonValue, readJson } from "./json-value.js";
import type { ToolCall } from "./message.js";
import { writeJson } from "./write-json.js";

/** Writes a call as `{"name": "add", "arguments": {"a": 1}}`, in ASCII as the models were given it. */
export function writeJsonCall({ function: { name, arguments: args } }: ToolCall, index: number): string {
  const call = new Map<string, JsonValue>([
    ["name", name],
    ["arguments", checkedArguments(args, name, index)],
  ]);
  return writeJson(call, { asciiOnly: true });
}

/**
 * Reads a call as {@link writeJsonCall} writes it.
 *
 * @throws Error saying what is missing
 */
export function readJsonCall(text: string): ToolCall {
  const call = readJson(text);
  if (call === undefined) throw new Error("It is not JSON");
  if (!(call instanceof Map)) throw new Error("It is not an object of JSON");
  const [name, args] = [call.get("name"), call.get("arguments")];
  if (typeof name !== "string") throw new Error('It has no "name"');
  if (args === undefined) throw new Error('It has no "arguments"');
  return { type: "function", id: null, function: { name, arguments: writeJson(args, { asciiOnly: true }) } };
}

/**
 * The arguments of a call.
 *
 * @throws ValidationError naming the message, when they are not JSON
 */
export function checkedArguments(args: string, name: string, index: number): JsonValue {
  const value = readJson(args);
  if (value !== undefined) return value;
  throw refusal(
    index,
    `calls ${name} with arguments that are not JSON`,
    'arguments are JSON text, such as "{\\"a\\": 1}"',
  );
}
