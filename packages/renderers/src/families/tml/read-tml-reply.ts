import type { ContentPart, Message, ToolCall } from "../../messages/message.js";
import type { RendererTokenizer } from "../../pieces/renderer-tokenizer.js";
import { refuseStops } from "../../replies/parse-reply.js";
import type { ParsedResponse } from "../../replies/reply.js";
import { readTmlCall } from "./tml-json.js";
import {
  TML_AUTHORS,
  TML_CONTENTS,
  TML_END,
  TML_OTHER_CONTENTS,
  TML_STOP,
  TML_TOOL_ERROR,
} from "./tml-tokens.js";

/** A part that was read to its end. */
interface ReadPart {
  readonly role: string;
  /** The author's name, `""` for none. */
  readonly name: string;
  readonly said: ContentPart | ToolCall["function"];
}

/** Kinds of content by the id of their token; undefined are those that no message has a form for. */
type Kind = "text" | "thinking" | "call" | undefined;

/**
 * Reads a response part by part. One that is cut off keeps the parts that ended; where none did, or one cannot be read, all of it
 * is kept as text.
 *
 * @throws ValidationError for a response that goes on behind its end
 */
export function readTmlReply(ids: readonly number[], tokenizer: RendererTokenizer): ParsedResponse {
  const { parts, stops, fault } = readParts(ids, tokenizer);
  refuseStops(stops);
  const last = fault === undefined ? lastMessage(parts) : undefined;
  const message = last ?? { role: "assistant", content: tokenizer.decode(ids) };
  if (fault !== undefined || stops.length === 0) {
    return { message, termination: "malformed", failure: fault ?? "structural" };
  }
  return { message, termination: "stop_sequence", failure: null };
}

interface Parts {
  readonly parts: readonly ReadPart[];
  /** Places of the stop tokens between parts. */
  readonly stops: readonly number[];
  readonly fault?: "structural" | "content";
}

function readParts(ids: readonly number[], tokenizer: RendererTokenizer): Parts {
  const { authors, kinds, special, end, stop } = tokensOf(tokenizer);
  const parts: ReadPart[] = [];
  const stops: number[] = [];
  const fault = (kind: Parts["fault"]): Parts => ({ parts, stops, ...(kind && { fault: kind }) });
  for (let at = 0; at < ids.length; ) {
    const id = ids[at] ?? -1;
    const role = authors.get(id);
    if (role === undefined && !kinds.has(id)) {
      // Tokens between parts, which nobody says, are passed over.
      if (id === stop && parts.length === 0) return fault("structural");
      if (id === stop) stops.push(at);
      at += 1;
      continue;
    }
    // A part without an author is the model's.
    let opens = at;
    if (role !== undefined)
      do opens += 1;
      while (opens < ids.length && !special.has(ids[opens] ?? -1));
    if (opens === ids.length) return fault("structural");
    const ends = ids.indexOf(end, opens + 1);
    if (ends === -1) break;
    const name = role === undefined ? "" : tokenizer.decode(ids.slice(at + 1, opens));
    const said = readContent(kinds.get(ids[opens] ?? -1), tokenizer.decode(ids.slice(opens + 1, ends)), name);
    if (said === undefined) return fault("content");
    // The name in front of a call is that of the tool, not of the author.
    parts.push({ role: role ?? "assistant", name: "arguments" in said ? "" : name, said });
    at = ends + 1;
  }
  return fault(undefined);
}

function readContent(kind: Kind, text: string, name: string): ReadPart["said"] | undefined {
  if (kind === "text") return { type: "text", text };
  if (kind === "thinking") return { type: "thinking", thinking: text };
  return kind === "call" ? readTmlCall(text, name) : undefined;
}

/** The message that the last parts make. */
function lastMessage(parts: readonly ReadPart[]): Message | undefined {
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  const start = startOfLastTurn(parts);
  const shown = parts.slice(start);
  const callsBefore = parts.slice(0, start).filter(({ said }) => "arguments" in said);
  const said = shown.flatMap(({ said: part }) => ("arguments" in part ? [] : [part]));
  const calls = shown
    .flatMap(({ said: part }) => ("arguments" in part ? [part] : []))
    .map((called, index): ToolCall => {
      // Calls have no ids here, and get those of the model's own software: the name, and the number in the conversation.
      const id = `functions.${called.name}:${callsBefore.length + index}`;
      return { type: "function", id, function: called };
    });
  const [only] = said;
  return {
    role: last.role,
    content: said.length === 1 && only?.type === "text" ? only.text : said,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(last.role === "tool" && last.name !== "" && { name: last.name }),
  };
}

/** The place where the last turn begins: parts of one author in a row, but a result of a tool is a turn of its own. */
function startOfLastTurn(parts: readonly ReadPart[]): number {
  let [start, turn]: [number, ReadPart | undefined] = [0, undefined];
  for (const [place, part] of parts.entries()) {
    if (turn !== undefined && isSameTurn(turn, part)) {
      if (turn.name === "") turn = part;
    } else [start, turn] = [place, part];
  }
  return start;
}

/** Tells whether a part goes on with a turn. The model may leave its name out where it goes on. */
function isSameTurn(turn: ReadPart, part: ReadPart): boolean {
  if (part.role !== turn.role || part.role === "tool") return false;
  const isUnnamed = part.role === "assistant" && (part.name === "" || turn.name === "");
  return isUnnamed || part.name === turn.name;
}

function tokensOf(tokenizer: RendererTokenizer) {
  const idOf = (token: string) => tokenizer.tokenId(token) ?? -2;
  const authors = new Map(Object.entries(TML_AUTHORS).map(([role, token]) => [idOf(token), role]));
  const kinds = new Map<number, Kind>([
    ...[TML_CONTENTS.xml, ...TML_OTHER_CONTENTS].map((token) => [idOf(token), undefined] as const),
    [idOf(TML_CONTENTS.text), "text"],
    [idOf(TML_TOOL_ERROR), "text"],
    [idOf(TML_CONTENTS.thinking), "thinking"],
    [idOf(TML_CONTENTS.call), "call"],
  ]);
  const [end, stop] = [idOf(TML_END), idOf(TML_STOP)];
  const added = tokenizer.addedTokens?.values() ?? [];
  return {
    authors,
    kinds,
    end,
    stop,
    special: new Set([...added, ...authors.keys(), ...kinds.keys(), end, stop]),
  };
}
