import { readArguments } from "../call-arguments.js";
import { type JsonValue, readJson } from "../json-value.js";
import type { ToolCall, UnparsedToolCall } from "../message.js";
import { readTaggedReply } from "../read-tagged-reply.js";
import type { ReadMessage } from "../reply.js";
import { strip } from "../strip-text.js";
import { writeJson } from "../write-json.js";
import { functionCall } from "./function-tags.js";

const OPEN = "<｜DSML｜ calls>";
const CLOSE = "</｜DSML｜ calls>";
const INVOKE = /\s*(<｜DSML｜ invoke name="(.*?)">([\s\S]*?)<\/｜DSML｜ invoke>)\s*/y;
const PARAMETER =
  /\s*<｜DSML｜ parameter name="(.*?)" string="(true|false)">([\s\S]*?)<\/｜DSML｜ parameter>\s*/y;

/** Calls of tools in the tags of DeepSeek V4.1, behind the text of a message; nothing without calls. */
export function writeDsmlCalls(calls: readonly ToolCall[]): string {
  if (calls.length === 0) return "";
  const invokes = calls.map(({ function: { name, arguments: text } }) => {
    // Arguments that are no object travel as one, as the reference has it: DeepSeek's own code shows them so.
    const values = readArguments(text) ?? new Map([["arguments", text]]);
    const parameters = [...values].map(([key, value]) => writeParameter(key, value));
    return `<｜DSML｜ invoke name="${name}">\n${parameters.join("\n")}\n</｜DSML｜ invoke>`;
  });
  return `\n\n${OPEN}\n${invokes.join("\n")}\n${CLOSE}`;
}

function writeParameter(name: string, value: JsonValue): string {
  const isText = typeof value === "string";
  return `<｜DSML｜ parameter name="${name}" string="${isText}">${isText ? value : writeJson(value)}</｜DSML｜ parameter>`;
}

/** Reads text, thinking and the block of calls behind them. A block that is never closed stays text. */
export function readDsmlReply(text: string): ReadMessage {
  const start = text.indexOf(OPEN);
  if (start === -1) return readTaggedReply(text, { padded: false });
  const end = text.indexOf(CLOSE, start);
  if (end === -1) {
    const raw = { raw_text: text.slice(start), error: "The block of calls is never closed" };
    return { ...readTaggedReply(text, { padded: false }), unparsed_tool_calls: [raw] };
  }
  const { calls, unparsed } = readCalls(text.slice(start + OPEN.length, end));
  const behind = strip(text.slice(end + CLOSE.length));
  if (behind !== "") unparsed.push({ raw_text: behind, error: "It stands behind the calls" });
  if (calls.length + unparsed.length === 0) {
    unparsed.push({
      raw_text: text.slice(start, end + CLOSE.length),
      error: "There is no call in the block",
    });
  }
  return {
    ...readTaggedReply(text.slice(0, start).replace(/\n+$/, ""), { padded: false }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function readCalls(block: string): { readonly calls: ToolCall[]; readonly unparsed: UnparsedToolCall[] } {
  const [calls, unparsed]: [ToolCall[], UnparsedToolCall[]] = [[], []];
  let position = 0;
  while (strip(block.slice(position)) !== "") {
    INVOKE.lastIndex = position;
    const [, whole = "", name = "", body = ""] = INVOKE.exec(block) ?? [];
    if (whole === "") {
      unparsed.push({ raw_text: strip(block.slice(position)), error: "It is no call" });
      break;
    }
    position = INVOKE.lastIndex;
    const values = readParameters(body);
    if (values === undefined) unparsed.push({ raw_text: whole, error: "Its parameters cannot be read" });
    else calls.push(functionCall(name, values));
  }
  return { calls, unparsed };
}

function readParameters(body: string): ReadonlyMap<string, JsonValue> | undefined {
  const values = new Map<string, JsonValue>();
  let position = 0;
  while (strip(body.slice(position)) !== "") {
    PARAMETER.lastIndex = position;
    const [, name, isText, text = ""] = PARAMETER.exec(body) ?? [];
    if (name === undefined) return undefined;
    position = PARAMETER.lastIndex;
    const value = isText === "true" ? text : readJson(text);
    if (value === undefined) return undefined;
    values.set(name, value);
  }
  return values;
}
