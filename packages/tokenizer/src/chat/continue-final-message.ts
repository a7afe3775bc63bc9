import { ValidationError } from "@tinkex/base";
import { stripRange } from "../template/values/python-text.js";
import { plain, sliceText, type TextValue } from "../template/values/text.js";
import { type Fields, fieldOf, withEntries } from "./message-fields.js";

/** Stands at the end of the message to be continued while the template runs, as in transformers; the space shows whether it trims. */
const END = "CONTINUE_FINAL_MESSAGE_TAG ";

/** Messages of which the last is to be continued. */
export interface MarkedMessages {
  readonly messages: Fields[];
  /** The last text of the last message, without the mark. */
  readonly lastText: string;
}

/** Marks the end of the last message: of its content, or of the last part of its content that has a text. */
export function markEnd(messages: readonly Fields[]): MarkedMessages {
  const last = messages.at(-1) ?? {};
  const content = fieldOf(last, "content");
  const parts = Array.isArray(content) ? content : undefined;
  const at = parts?.findLastIndex((part) => isFields(part) && fieldOf(part, "text") !== undefined) ?? 0;
  const part: unknown = parts?.[at];
  const lastText = isFields(part) ? fieldOf(part, "text") : content;
  if (typeof lastText !== "string") {
    throw new ValidationError(
      "continueFinalMessage needs a last message whose content is a string, or has a part with a text",
      { path: ["messages", messages.length - 1, "content"] },
    );
  }
  const marked = lastText + END;
  const ended = isFields(part)
    ? parts?.with(
        at,
        withEntries(part, (entries) => [...entries, ["text", marked]]),
      )
    : marked;
  const message = withEntries(last, (entries) => [...entries, ["content", ended]]);
  return { messages: [...messages.slice(0, -1), message], lastText };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** Cuts a rendered conversation behind the marked message. @throws ValidationError where the template has left out some of it */
export function cutAtEnd(rendered: TextValue, lastText: string): TextValue {
  const value = plain(rendered);
  const at = value.lastIndexOf(END.trimEnd());
  if (at === -1) {
    throw new ValidationError(
      "continueFinalMessage: the chat template leaves out the end of the last message, so it cannot be continued",
    );
  }
  const { start, end } = stripRange(lastText, { hasLeft: true, hasRight: true });
  if (!value.includes(lastText.slice(start, end))) {
    throw new ValidationError(
      "continueFinalMessage: the chat template changes the last message, so it cannot be continued; move its reasoning to reasoning_content",
    );
  }
  if (value.startsWith(END, at)) return sliceText(rendered, 0, at);
  return sliceText(rendered, 0, stripRange(value.slice(0, at), { hasLeft: false, hasRight: true }).end);
}
