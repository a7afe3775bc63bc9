import { type Clock, describeValue, errorMessage, onAbort, ValidationError, waitFor } from "@tinkex/base";
import type { Message, ToolCall, UnparsedToolCall } from "@tinkex/renderers";
import { isStandard, type Tool, type ToolContext, type ToolResult, type Tools } from "./tool.js";

/**
 * Answers the calls of one reply, all at the same time, in the order in which they were made. What goes wrong in a call is its answer.
 *
 * @throws the reason of the signal, once it aborts
 */
export function answerCalls(
  { tool_calls: calls = [], unparsed_tool_calls: unparsed = [] }: Message,
  tools: Tools,
  context: ToolContext,
  clock: Clock,
): Promise<readonly ToolResult[]> {
  return Promise.all([
    ...calls.map((call) => answerCall(call, tools, context, clock)),
    ...unparsed.map(unreadCall),
  ]);
}

/** Answers as messages. */
export function toolMessages(results: readonly ToolResult[]): Message[] {
  return results.map(({ name, id, output }) => ({
    role: "tool",
    content: output,
    name,
    ...(id !== null && { tool_call_id: id }),
  }));
}

async function answerCall(
  { id, function: { name, arguments: text } }: ToolCall,
  tools: Tools,
  context: ToolContext,
  clock: Clock,
): Promise<ToolResult> {
  const asked = { name, id, arguments: text };
  // Ends with the episode, and with the time of this call alone.
  const own = new AbortController();
  const leave = onAbort(context.signal, (reason) => own.abort(reason));
  try {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool === undefined) {
      throw new ValidationError(
        `there is no tool ${JSON.stringify(name)}; there are ${Object.keys(tools).join(", ")}`,
      );
    }
    const output = await waitFor(
      executed(tool, text, { ...context, signal: own.signal }),
      { signal: context.signal, timeoutMs: tool.timeoutMs },
      clock,
      `the tool ${name}`,
    );
    return { ...asked, output, isError: false };
  } catch (error) {
    own.abort(error);
    // An abort ends the episode; the model is told of anything else.
    context.signal.throwIfAborted();
    return { ...asked, output: `Error: ${errorMessage(error)}`, isError: true };
  } finally {
    leave();
  }
}

async function executed(tool: Tool, text: string, context: ToolContext): Promise<string> {
  const input = await checkedInput(tool.inputSchema, parsedArguments(text));
  const output: unknown = await tool.execute(input, context);
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

function parsedArguments(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ValidationError(`the arguments must be JSON; ${errorMessage(cause)}`, { cause });
  }
  return recordOf(value);
}

async function checkedInput(schema: Tool["inputSchema"], input: Readonly<Record<string, unknown>>) {
  if (!isStandard(schema)) return input;
  const outcome = await schema["~standard"].validate(input);
  if (outcome.issues === undefined) return recordOf(outcome.value);
  throw new ValidationError(
    `the arguments are not as the tool wants them: ${outcome.issues.map(({ message }) => message).join("; ")}`,
  );
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>; // as the line above says
  }
  throw new ValidationError(`the arguments must be an object, got ${describeValue(value)}`);
}

function unreadCall({ raw_text, error }: UnparsedToolCall): ToolResult {
  return {
    name: "invalid_call",
    id: null,
    arguments: raw_text,
    output: `Error: the call could not be read: ${error}`,
    isError: true,
  };
}
