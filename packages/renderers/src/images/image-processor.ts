import type { ImageChunk } from "@tinkex/types";
import { refusal } from "../messages/check-messages.js";
import type { ImagePart, Message } from "../messages/message.js";
import { contentParts } from "../messages/message-content.js";

/**
 * Makes of a picture the chunk that is sent: its file as PNG or JPEG, and in `expected_tokens` how many tokens the model takes
 * for it. The service counts for itself and refuses a prompt when the two differ. What the number is follows from the image
 * processor of the model: {@link imageTokenCount} has the arithmetic of the Qwen-VL kind.
 */
export type ImageProcessor = (image: ImagePart["image"]) => ImageChunk;

/**
 * Refuses pictures that nobody could make a chunk of.
 *
 * @throws ValidationError naming the message, when the renderer has no processor for pictures
 */
export function checkImages(
  { content }: Message,
  index: number,
  processor: ImageProcessor | undefined,
): void {
  if (processor !== undefined || contentParts(content).every(({ type }) => type !== "image")) return;
  throw refusal(
    index,
    "holds an image, and this renderer has no imageProcessor",
    "give getRenderer { imageProcessor }, or leave the image out",
  );
}

/** The chunk of a picture that {@link checkImages} has let through. */
export function imageChunk(
  { image }: ImagePart,
  processor: ImageProcessor | undefined,
): { readonly chunk: ImageChunk } {
  if (processor === undefined) throw new TypeError("an image was not checked before it was rendered");
  return { chunk: processor(image) };
}
