import { refusal } from "../../messages/check-messages.js";
import { declaredTools } from "../../messages/declared-tools.js";
import type { ContentPart, Message, ToolCall } from "../../messages/message.js";
import { contentParts, textOf } from "../../messages/message-content.js";
import { given, type TextRun } from "../../pieces/text-run.js";
import { writeJson } from "../../text/write-json.js";
import { orderResults } from "../order-results.js";

const TOOLS_HEAD = `

## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜ calls>" block like the following:

<｜DSML｜ calls>
<｜DSML｜ invoke name="$TOOL_NAME">
<｜DSML｜ parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜ parameter>
...
</｜DSML｜ invoke>
<｜DSML｜ invoke name="$TOOL_NAME2">
...
</｜DSML｜ invoke>
</｜DSML｜ calls>

String parameters should be specified as is and set \`string="true"\`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set \`string="false"\`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

`;
const TOOLS_TAIL = `

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
`;

const textPart = (text: string): ContentPart => ({ type: "text", text });
const OWN = {
  toolsHead: textPart(TOOLS_HEAD),
  toolsTail: textPart(TOOLS_TAIL),
  resultOpen: textPart("<tool_result>"),
  resultClose: textPart("</tool_result>"),
  blankLine: textPart("\n\n"),
  /** Stands in front of what a user says behind results. */
  userSpeaks: textPart(""),
};
/** Text in joined messages that nobody said. It is known again as the object it is, whatever others have written. */
const OWN_PARTS: ReadonlySet<ContentPart> = new Set(Object.values(OWN));

/** The text of a message of {@link joinDeepseekV41Messages}. */
export function joinedRuns(content: Message["content"]): TextRun[] {
  return contentParts(content).flatMap((part) => {
    if (part.type !== "text") return [];
    return [OWN_PARTS.has(part) ? part.text : given(part.text)];
  });
}

/** Messages as DeepSeek V4.1 knows them: tools declared in the system message, what users and tools say in a row as one. */
export function joinDeepseekV41Messages(messages: readonly Message[]): readonly Message[] {
  return joinTellers(foldDeclarations(messages));
}

/** Index of the last message in which a user has a part; -1 without one. */
export function lastUserPart(messages: readonly Message[]): number {
  return messages.findLastIndex(
    ({ role, content }) => role === "user" || contentParts(content).includes(OWN.userSpeaks),
  );
}

/** Tells whether a message shows the model its tools. */
export function declaresTools(message: Message | undefined): boolean {
  return message?.role === "system" && textOf(message.content).includes(TOOLS_HEAD);
}

function foldDeclarations(messages: readonly Message[]): readonly Message[] {
  const place = messages.findIndex(({ role }) => role === "tool_declare");
  const declaration = messages[place];
  if (declaration === undefined) return messages;
  const again = messages.findLastIndex(({ role }) => role === "tool_declare");
  const system = messages.slice(0, place);
  if (again !== place || place > 1 || system.some(({ role }) => role !== "system")) {
    throw refusal(again, "declares tools behind other messages", "put what declareTools gives in front");
  }
  const said = system.map((message) => textPart(textOf(message.content)));
  const content = [...said, OWN.toolsHead, textPart(schemasText(declaration, place)), OWN.toolsTail];
  const { trainable } = system[0] ?? declaration;
  return [
    { role: "system", content, ...(trainable !== undefined && { trainable }) },
    ...messages.slice(place + 1),
  ];
}

function schemasText(message: Message, index: number): string {
  return declaredTools(message, index)
    .map((tool) => writeJson(tool.get("function")))
    .join("\n");
}

function joinTellers(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  let start = 0;
  while (start < messages.length) {
    let end = start;
    while (isTeller(messages[end])) end += 1;
    const first = messages[start];
    if (end > start) joined.push(joinBlock(messages.slice(start, end), callsOf(joined.at(-1)), start));
    else if (first !== undefined) joined.push(first);
    start = Math.max(end, start + 1);
  }
  return joined;
}

/** One message of several, of the role of the first: all of it is trained on, or nothing, by that role. */
function joinBlock(block: readonly Message[], calls: readonly ToolCall[], start: number): Message {
  const results = [...orderResults(block.filter(isResult), calls)];
  const parts = block.flatMap((message, place) => {
    const shown = textPart(textOf((isResult(message) ? (results.shift() ?? message) : message).content));
    return [
      ...(place === 0 ? [] : [OWN.blankLine]),
      ...(isResult(message) ? [OWN.resultOpen, shown, OWN.resultClose] : [OWN.userSpeaks, shown]),
    ];
  });
  const [{ role, trainable } = { role: "user", trainable: undefined }] = block;
  const differing = block.findIndex((message) => message.trainable !== trainable);
  if (differing !== -1) {
    throw refusal(
      start + differing,
      "is trainable where the message before it is not, or the other way round",
      "DeepSeek V4.1 shows both as one message: give them the same flag",
    );
  }
  return {
    role,
    content: parts,
    ...(trainable !== undefined && { trainable }),
  };
}

function callsOf(message: Message | undefined): readonly ToolCall[] {
  return message?.tool_calls ?? [];
}

/** Tells whether what a message says is joined with what is said next to it. */
export function isTeller(message: Pick<Message, "role"> | undefined): boolean {
  return message?.role === "user" || message?.role === "tool";
}

function isResult({ role }: Message): boolean {
  return role === "tool";
}
