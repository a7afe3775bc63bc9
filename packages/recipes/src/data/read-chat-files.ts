import { ValidationError } from "@tinkex/base";
import { type ChatLine, chatLines, LineFaults } from "./json-lines.js";
import type { Chat } from "../datum/supervised-datum.js";

/**
 * Reads files of chats into memory, each with at least one answer to learn from.
 *
 * @returns the chats by the path of their file, with their lines
 * @throws ValidationError that names all bad lines of all files
 */
export async function readChatFiles(
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly ChatLine[]>> {
  const read = new Map<string, readonly ChatLine[]>();
  const broken: string[] = [];
  for (const path of new Set(paths)) {
    const faults = new LineFaults();
    const chats: ChatLine[] = [];
    for await (const { line, chat } of chatLines(path, faults, "fineTune: a file of chats")) {
      const fault = faultOf(chat);
      if (fault === undefined) chats.push({ line, chat });
      else faults.add(line, fault);
    }
    const fault = faults.describe(path);
    if (fault !== undefined) broken.push(fault);
    else if (chats.length === 0) broken.push(`${path} has no chats`);
    read.set(path, chats);
  }
  if (broken.length > 0) throw new ValidationError(`fineTune: ${broken.join("; ")}`);
  return read;
}

/** Names what keeps a chat from being learnt from. Its messages may all have weight 0: then it is left out, and counted. */
function faultOf({ messages }: Chat): string | undefined {
  const hasAnswer = messages.some(({ role }) => role === "assistant");
  return hasAnswer ? undefined : "must have at least one message of the assistant";
}
