import { refusal } from "../messages/check-messages.js";
import type { Message, ToolCall } from "../messages/message.js";
import { type JsonValue, readJson } from "../text/json-value.js";
import { strip } from "../text/strip-text.js";

/** The arguments of a call by name, undefined where they are not an object of JSON. No text at all is no arguments. */
export function readArguments(text: string): ReadonlyMap<string, JsonValue> | undefined {
  if (strip(text) === "") return new Map();
  const value = readJson(text);
  return value instanceof Map ? value : undefined;
}

/** The arguments of a call that {@link checkCallArguments} has let through. */
export function argumentsOf(call: ToolCall): ReadonlyMap<string, JsonValue> {
  return readArguments(call.function.arguments) ?? new Map();
}

/**
 * Refuses calls whose arguments a layout could not write argument by argument.
 *
 * @throws ValidationError naming the message
 */
export function checkCallArguments({ tool_calls = [] }: Message, index: number): void {
  for (const { function: called } of tool_calls) {
    if (readArguments(called.arguments) === undefined) {
      throw refusal(
        index,
        `calls ${called.name} with arguments that are not an object of JSON`,
        'write them as text such as {"city": "Oslo"}',
      );
    }
  }
}
