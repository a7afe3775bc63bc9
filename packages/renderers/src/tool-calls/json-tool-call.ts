import type { ToolCall } from "../messages/message.js";
import { type JsonValue, readJson } from "../text/json-value.js";
import { strip } from "../text/strip-text.js";
import { writeJson } from "../text/write-json.js";

/** Writes a call as `{"name": "add", "arguments": {"a": 1}}`, in ASCII as the models were given it. */
export function writeJsonCall(call: ToolCall): string {
  const written = new Map<string, JsonValue>([
    ["name", call.function.name],
    // checkMessages has let through what is JSON.
    ["arguments", readJson(argumentsText(call)) ?? null],
  ]);
  return writeJson(written, { asciiOnly: true });
}

/**
 * Reads a call as {@link writeJsonCall} writes it.
 *
 * @throws Error saying what is missing
 */
export function readJsonCall(text: string): ToolCall {
  const call = readJson(strip(text));
  if (call === undefined) throw new Error("it is not JSON");
  if (!(call instanceof Map)) throw new Error("it is not an object of JSON");
  const [name, args, id] = [call.get("name"), call.get("arguments"), call.get("id")];
  if (typeof name !== "string") throw new Error('it has no "name"');
  if (!(args instanceof Map)) throw new Error('it has no "arguments" that are an object of JSON');
  return {
    type: "function",
    id: typeof id === "string" ? id : null,
    function: { name, arguments: writeJson(args, { asciiOnly: true }) },
  };
}

/** The arguments of a call as JSON text; where they are left blank there are none. */
export function argumentsText({ function: { arguments: args } }: ToolCall): string {
  return strip(args) === "" ? "{}" : args;
}
