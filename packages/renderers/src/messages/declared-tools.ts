import { type JsonValue, readJson } from "../text/json-value.js";
import { refusal } from "./check-messages.js";
import type { Message } from "./message.js";
import { textOf } from "./message-content.js";

/**
 * Tools of a message that declares them as JSON, each with a field `function`.
 *
 * @throws ValidationError naming the message
 */
export function declaredTools({ content }: Message, index: number): ReadonlyMap<string, JsonValue>[] {
  const declared = readJson(textOf(content));
  const tools = (Array.isArray(declared) ? declared : [declared]).filter(
    (tool): tool is ReadonlyMap<string, JsonValue> => tool instanceof Map && tool.has("function"),
  );
  if (Array.isArray(declared) && tools.length === declared.length) return tools;
  throw refusal(
    index,
    "declares no tools",
    'its content is JSON such as [{"type": "function", "function": {…}}], which declareTools writes',
  );
}
