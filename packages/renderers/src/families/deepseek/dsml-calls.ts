import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { given, joinRuns, type TextRun } from "../../pieces/text-run.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
import { createTextReader } from "../../replies/text-reader.js";
import { type JsonValue, readJson } from "../../text/json-value.js";
import { strip, stripEnd } from "../../text/strip-text.js";
import { writeJson } from "../../text/write-json.js";
import { readArguments } from "../../tool-calls/call-arguments.js";
import { functionCall } from "../../tool-calls/function-tags.js";

const OPEN = "<｜DSML｜ calls>";
const CLOSE = "</｜DSML｜ calls>";
const INVOKE = { open: '<｜DSML｜ invoke name="', close: "</｜DSML｜ invoke>" };
const PARAMETER = { open: '<｜DSML｜ parameter name="', close: "</｜DSML｜ parameter>" };
/** Stands behind the name of a parameter, in front of what says whether its value is text. */
const NAME_END = /" string="(?=(?:true|false)">)/g;

/** Calls of tools in the tags of DeepSeek V4.1, behind the text of a message; nothing without calls. */
export function writeDsmlCalls(calls: readonly ToolCall[]): TextRun[] {
  if (calls.length === 0) return [];
  const invokes = calls.map(({ function: { name, arguments: text } }): TextRun[] => {
    // Arguments that are no object travel as one, as the reference has it: DeepSeek's own code shows them so.
    const values = readArguments(text) ?? new Map([["arguments", text]]);
    const parameters = [...values].map(([key, value]) => writeParameter(key, value));
    return [INVOKE.open, given(name), '">\n', ...joinRuns(parameters, "\n"), `\n${INVOKE.close}`];
  });
  return [`\n\n${OPEN}\n`, ...joinRuns(invokes, "\n"), `\n${CLOSE}`];
}

function writeParameter(name: string, value: JsonValue): TextRun[] {
  const isText = typeof value === "string";
  const text = given(isText ? value : writeJson(value));
  return [PARAMETER.open, given(name), `" string="${isText}">`, text, PARAMETER.close];
}

/** Reads text, thinking and the block of calls behind them. A block that is never closed stays text. */
export function readDsmlReply(text: string): ReadMessage {
  const start = text.indexOf(OPEN);
  if (start === -1) return readTaggedReply(text, { isPadded: false });
  const end = text.indexOf(CLOSE, start);
  if (end === -1) {
    const raw = { raw_text: text.slice(start), error: "The block of calls is never closed" };
    return { ...readTaggedReply(text, { isPadded: false }), unparsed_tool_calls: [raw] };
  }
  const { calls, unparsed } = readCalls(text.slice(start + OPEN.length, end));
  const behind = strip(text.slice(end + CLOSE.length));
  if (behind !== "") unparsed.push({ raw_text: behind, error: "it stands behind the calls" });
  if (calls.length + unparsed.length === 0) {
    unparsed.push({
      raw_text: text.slice(start, end + CLOSE.length),
      error: "there is no call in the block",
    });
  }
  return {
    ...readTaggedReply(stripEnd(text.slice(0, start), "\n"), { isPadded: false }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function readCalls(block: string): { readonly calls: ToolCall[]; readonly unparsed: UnparsedToolCall[] } {
  const [calls, unparsed]: [ToolCall[], UnparsedToolCall[]] = [[], []];
  const reader = createTextReader(strip(block));
  while (!reader.isAtEnd()) {
    const start = reader.position;
    const rest = reader.rest();
    const name = reader.take(INVOKE.open) ? reader.takeUntil('">') : undefined;
    const body = reader.takeUntil(INVOKE.close);
    if (name === undefined || name.includes("\n") || body === undefined) {
      unparsed.push({ raw_text: rest, error: "it is no call" });
      break;
    }
    const values = readParameters(body);
    if (values === undefined) {
      unparsed.push({ raw_text: reader.since(start), error: "Its parameters cannot be read" });
    } else calls.push(functionCall(name, values));
    reader.skipSpace();
  }
  return { calls, unparsed };
}

function readParameters(body: string): ReadonlyMap<string, JsonValue> | undefined {
  const values = new Map<string, JsonValue>();
  const reader = createTextReader(strip(body));
  while (!reader.isAtEnd()) {
    const name = reader.take(PARAMETER.open) ? reader.takeUntil(NAME_END) : undefined;
    const isText = reader.takeUntil('">') === "true";
    const text = reader.takeUntil(PARAMETER.close);
    if (name === undefined || name.includes("\n") || text === undefined) return undefined;
    const value = isText ? text : readJson(text);
    if (value === undefined) return undefined;
    reader.skipSpace();
    values.set(name, value);
  }
  return values;
}
