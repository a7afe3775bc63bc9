import type { ImageProcessor } from "../images/image-processor.js";
import type { Message } from "../messages/message.js";

/** Name of the one picture in the recordings, and its size in pixels. */
const RECORDED = "<64x32 RGB>";
const SIZE = { width: 64, height: 32 };

/** The picture of the recordings, and the image processor they were made with: patches of 16 pixels, merged two by two. */
export const recordedImage: {
  readonly adapt: (message: Message) => Message;
  readonly processor: ImageProcessor;
} = {
  adapt: (message) => {
    if (typeof message.content === "string") return message;
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === "image" && part.image === RECORDED
          ? { ...part, image: "data:image/jpeg;base64,/9j/2Q==" }
          : part,
      ),
    };
  },
  processor: (image) => ({
    type: "image",
    format: "jpeg",
    data: typeof image === "string" ? image.slice(image.indexOf(",") + 1) : image,
    expected_tokens: (SIZE.width * SIZE.height) / 16 ** 2 / 2 ** 2,
  }),
};
