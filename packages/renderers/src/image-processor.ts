import type { ImageChunk } from "@tinkex/types";
import { refusal } from "./check-messages.js";
import type { ImagePart } from "./message.js";

/**
 * Makes of a picture the chunk that is sent: its file as PNG or JPEG, and in `expected_tokens` how many tokens the model takes
 * for it. The service counts for itself and refuses a prompt when the two differ. What the number is follows from the image
 * processor of the model: {@link imageTokenCount} has the arithmetic of the Qwen-VL kind.
 */
export type ImageProcessor = (image: ImagePart["image"]) => ImageChunk;

/**
 * The chunk of a picture.
 *
 * @throws ValidationError naming the message, when the renderer has no processor for pictures
 */
export function imageChunk(
  { image }: ImagePart,
  index: number,
  processor: ImageProcessor | undefined,
): { readonly chunk: ImageChunk } {
  if (processor === undefined) {
    throw refusal(
      index,
      "holds an image, and this renderer has no imageProcessor",
      "give getRenderer { imageProcessor }, or leave the image out",
    );
  }
  return { chunk: processor(image) };
}
