import { refusal } from "./check-messages.js";
import { jsonMembers, spacedJson } from "./json-text.js";
import type { ToolCall } from "./message.js";

/** Writes a call as `{"name": "add", "arguments": {"a": 1}}`. */
export function writeJsonCall({ function: { name, arguments: args } }: ToolCall, index: number): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${checkedArguments(args, name, index)}}`;
}

/**
 * Reads a call as {@link writeJsonCall} writes it.
 *
 * @throws Error saying what is missing
 */
export function readJsonCall(text: string): ToolCall {
  const members = jsonMembers(text);
  const name: unknown = JSON.parse(members.get("name") ?? "null");
  if (typeof name !== "string") throw new Error('It has no "name"');
  const args = members.get("arguments");
  if (args === undefined) throw new Error('It has no "arguments"');
  return { type: "function", id: null, function: { name, arguments: spacedJson(args) } };
}

/**
 * The arguments of a call, spaced as models write them.
 *
 * @throws ValidationError naming the message, when they are not JSON
 */
export function checkedArguments(args: string, name: string, index: number): string {
  try {
    return spacedJson(args);
  } catch {
    throw refusal(
      index,
      `calls ${name} with arguments that are not JSON`,
      'arguments are JSON text, such as "{\\"a\\": 1}"',
    );
  }
}
