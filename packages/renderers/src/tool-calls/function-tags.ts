import type { ToolCall } from "../messages/message.js";
import { given, type TextRun } from "../pieces/text-run.js";
import { readTaggedReply } from "../replies/read-tagged-reply.js";
import type { ReadMessage } from "../replies/reply.js";
import { createTextReader } from "../replies/text-reader.js";
import { JsonNumber, type JsonValue, readJson } from "../text/json-value.js";
import { strip } from "../text/strip-text.js";
import { writeJson } from "../text/write-json.js";
import { argumentsOf } from "./call-arguments.js";
import { readJsonCall } from "./json-tool-call.js";

const FUNCTION = /^<function=([^>\n]+)>([\s\S]*)<\/function>$/;

/** A call with a tag for each argument, as Qwen3.5, its successors and Nemotron 3 write it. */
export function writeFunctionTags(call: ToolCall, valueText: (value: JsonValue) => string): TextRun[] {
  const parameters = [...argumentsOf(call)].flatMap(([name, value]): TextRun[] => [
    "<parameter=",
    given(name),
    ">\n",
    given(valueText(value)),
    "\n</parameter>\n",
  ]);
  return [
    "<tool_call>\n<function=",
    given(call.function.name),
    ">\n",
    ...parameters,
    "</function>\n</tool_call>",
  ];
}

/**
 * Reads such a call, or one in the older form `{"name": …, "arguments": {…}}`. Values that are JSON are taken as JSON.
 *
 * @throws Error saying why it is no call
 */
function readFunctionTags(body: string): ToolCall {
  const text = strip(body);
  if (text.startsWith("{")) return readJsonCall(text);
  const [, name, rest] = FUNCTION.exec(text) ?? [];
  if (name === undefined || rest === undefined) throw new Error("there is not one <function=…> in it");
  if (strip(name) === "") throw new Error("its function has no name");
  const values = new Map<string, JsonValue>();
  const reader = createTextReader(strip(rest));
  while (!reader.isAtEnd()) {
    const key = reader.take("<parameter=") ? reader.takeUntil(">") : undefined;
    const value = reader.takeUntil("</parameter>");
    if (key === undefined || strip(key) === "" || key.includes("\n") || value === undefined)
      throw new Error("there is text in it that is no <parameter=…>");
    reader.skipSpace();
    values.set(strip(key), readValue(strip(value)));
  }
  return functionCall(strip(name), values);
}

/** Reads a message of a family with such calls; thinking stands on lines of its own. */
export function readFunctionTagReply(text: string): ReadMessage {
  return readTaggedReply(text, { isPadded: true, readCall: readFunctionTags });
}

/** A value that is JSON as JSON, null among it; what is none is text. */
export function readValue(text: string): JsonValue {
  const value = readJson(text);
  return value === undefined ? text : value;
}

/** A call that has no id yet. */
export function functionCall(name: string, values: ReadonlyMap<string, JsonValue>): ToolCall {
  return {
    type: "function",
    id: null,
    function: { name, arguments: writeJson(values, { asciiOnly: true }) },
  };
}

/** Text as it is, numbers by their digits, everything else as JSON. */
export function jsonValueText(value: JsonValue): string {
  if (typeof value === "string") return value;
  return writeJson(value, { asciiOnly: !(value instanceof JsonNumber) });
}
