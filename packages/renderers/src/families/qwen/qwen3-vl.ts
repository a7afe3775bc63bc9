import { checkImages, type ImageProcessor, imageChunk } from "../../images/image-processor.js";
import type { Layout, Place } from "../../layout/layout.js";
import { contentParts, textOf, withoutThinking } from "../../messages/message-content.js";
import { joinPieces, type Stretch } from "../../pieces/join-pieces.js";
import { given } from "../../pieces/text-run.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import { readJsonCall, writeJsonCall } from "../../tool-calls/json-tool-call.js";
import { END, imStart, imStartOpening } from "../im-start.js";
import { declareQwen3Tools, QWEN3_CALL_FORMAT } from "./qwen3-tools.js";

/** Options that `getRenderer` takes with the Qwen3-VL names. */
export interface Qwen3VlOptions {
  /** Needed for messages with images. */
  readonly imageProcessor?: ImageProcessor | undefined;
}

/**
 * The Qwen3 models that see. Unlike the text models they write thinking without line breaks and have no empty blocks.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function qwen3VlLayout({
  imageProcessor,
  isInstruct,
}: Qwen3VlOptions & { readonly isInstruct: boolean }): Layout {
  return {
    hasExtensionProperty: false,
    checkMessage: (message, index) => checkImages(message, index, imageProcessor),
    prelude: () => [],
    render: (place) => ({
      header: [
        { text: imStart(place.message.role === "tool" ? "user" : place.message.role, place.index === 0) },
      ],
      output: joinPieces([...body(place, imageProcessor), END]),
    }),
    opening: (role, messages) => imStartOpening(role, messages, ""),
    declareTools: declareQwen3Tools,
    instructions: [QWEN3_CALL_FORMAT],
    reply: {
      stop: { tokens: [END] },
      read: (text) =>
        readTaggedReply(text, { isPadded: !isInstruct, keepsNothing: false, readCall: readJsonCall }),
      streaming: {},
    },
  };
}

function body({ message, isLast }: Place, imageProcessor: ImageProcessor | undefined): Stretch[] {
  if (message.role === "tool") {
    return ["<tool_response>\n", given(textOf(message.content)), "\n</tool_response>"];
  }
  const shown = contentParts(isLast ? message.content : withoutThinking(message.content));
  return [
    ...shown.flatMap((part): Stretch[] => {
      if (part.type === "text") return [given(part.text)];
      if (part.type === "thinking") return ["<think>", given(part.thinking), "</think>"];
      return ["<|vision_start|>", imageChunk(part, imageProcessor), "<|vision_end|>"];
    }),
    ...(message.tool_calls ?? []).flatMap((call) => [
      "\n<tool_call>\n",
      given(writeJsonCall(call)),
      "\n</tool_call>",
    ]),
  ];
}
