import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { given, joinRuns, type TextRun } from "../../pieces/text-run.js";
import { findBlocks } from "../../replies/find-blocks.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
import { unclosedCall } from "../../replies/unclosed-call.js";
import { type JsonValue, readJson } from "../../text/json-value.js";
import { strip } from "../../text/strip-text.js";
import { writeJson } from "../../text/write-json.js";
import { readArguments } from "../../tool-calls/call-arguments.js";
import { functionCall } from "../../tool-calls/function-tags.js";

const OPEN = "<｜DSML｜ calls>";
const CLOSE = "</｜DSML｜ calls>";
const INVOKE = { open: '<｜DSML｜ invoke name="', close: "</｜DSML｜ invoke>" };
const PARAMETER = { open: '<｜DSML｜ parameter name="', close: "</｜DSML｜ parameter>" };
/** Stands behind the name of a parameter, in front of what says whether its value is text. */
const NAME_END = /" string="(true|false)">/;
const BLOCK = { open: OPEN, close: CLOSE };
/** The token that stands in every tag of calls and nowhere else. */
const MARK = "｜DSML｜";

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
  const [block] = findBlocks(text, [BLOCK]);
  const start =
    block === undefined ? text.length : block.start - (isAfterBlankLine(text, block.start) ? 2 : 0);
  const before = text.slice(0, start);
  const { calls, unparsed } =
    block === undefined ? { calls: [], unparsed: [] } : readCalls(block.inner, text.slice(start, block.end));
  const behind = text.slice(block?.end ?? text.length);
  if (strip(behind) !== "") unparsed.push({ raw_text: behind, error: "it stands behind the calls" });
  const unclosed = unclosedCall(before, [BLOCK]);
  if (unclosed !== undefined) unparsed.push(unclosed);
  else if (before.includes(MARK)) unparsed.push({ raw_text: before, error: `it has ${MARK} and no calls` });
  return {
    ...readTaggedReply(before, { isPadded: false }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function isAfterBlankLine(text: string, at: number): boolean {
  return at >= 2 && text.startsWith("\n\n", at - 2);
}

interface Calls {
  readonly calls: ToolCall[];
  readonly unparsed: UnparsedToolCall[];
}

/** Reads the calls of a block. One with other text in it is no block, as nobody knows what was meant. */
function readCalls(inner: string, raw_text: string): Calls {
  const invokes = [...findBlocks(inner, [INVOKE])];
  if (invokes.length === 0 || !isBlankBetween(inner, invokes))
    return { calls: [], unparsed: [{ raw_text, error: "there is more in the block than calls" }] };
  const [calls, unparsed]: [ToolCall[], UnparsedToolCall[]] = [[], []];
  for (const { inner: invoke, start, end } of invokes) {
    const call = readInvoke(invoke);
    if ("error" in call) unparsed.push({ raw_text: inner.slice(start, end), error: call.error });
    else calls.push(call);
  }
  return { calls, unparsed };
}

function isBlankBetween(
  text: string,
  blocks: readonly { readonly start: number; readonly end: number }[],
): boolean {
  const starts = [...blocks.map(({ start }) => start), text.length];
  return starts.every((start, index) => strip(text.slice(blocks[index - 1]?.end ?? 0, start)) === "");
}

const INVOKE_NAME_END = '">\n';

function readInvoke(invoke: string): ToolCall | { readonly error: string } {
  const at = invoke.indexOf(INVOKE_NAME_END);
  const name = invoke.slice(0, at);
  if (at === -1 || strip(name) === "") return { error: "it has no name" };
  const body = invoke.slice(at + INVOKE_NAME_END.length);
  const parameters = [...findBlocks(body, [PARAMETER])];
  if (!isBlankBetween(body, parameters)) return { error: "there is text in it that is no parameter" };
  const values = new Map<string, JsonValue>();
  for (const { inner } of parameters) {
    const end = NAME_END.exec(inner);
    const key = inner.slice(0, end?.index);
    if (end === null || strip(key) === "") return { error: "a parameter of it has no name" };
    if (values.has(key)) return { error: `it has the parameter ${key} twice` };
    const text = inner.slice(end.index + end[0].length);
    const value = end[1] === "true" ? text : readJson(text);
    if (value === undefined) return { error: `its parameter ${key} is not JSON` };
    values.set(key, value);
  }
  return functionCall(name, values);
}
